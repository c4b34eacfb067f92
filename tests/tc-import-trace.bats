load helper

# What a trace says of itself: what was asked for, what was lost, how long it is.

# import: got.out, from the script on standard input.
import() {
	trace t.pftrace
	tool got.out tc-import t.pftrace
	ended 0
	silent
}

# facts FILTER: of the trace record.
facts() {
	only trace got.out | jq -c "$1"
}

# indexed: "NAME INDEX VALUE SEVERITY" of the stat records that have an index.
indexed() {
	only stat got.out | jq -r 'select(has("index")) | "\(.name) \(.index) \(.value) \(.severity)"'
}

# message FIELD HEX: a field of a message, with bytes below 128.
message() {
	printf '%02x%02x%s' $(($1 << 3 | 2)) $((${#2} / 2)) "$2"
}

@test "without a configuration and statistics nothing is made up" {
	import <<<'esurf ts=100 cookie=1 token=7 display=9 pid=1000 layer=A'
	is "$(facts '[.config, .buffers, .flushes_failed, .final_flush, .tracing_started_ts]')" '[null,null,null,null,null]'
	is "$(facts '[.start_ts, .end_ts, .duration_ns, .outliers, .packets_lost]')" '[100,100,0,0,0]'
	import <<<'uuid msb=1 lsb=2'
	is "$(facts '[.start_ts, .end_ts, .duration_ns, .outliers]')" '[null,null,null,0]'
}

@test "what the configuration asked for" {
	# duration_ms 10000, write_into_file.
	import <<<"rawpacket hex=8a0205""18904e4001"
	is "$(facts .config)" '{"duration_ms":10000,"write_into_file":true}'
	import <<<'rawpacket hex=8a0200'
	is "$(facts .config)" '{"duration_ms":null,"write_into_file":null}'
}

@test "what the service counted, by buffer and as a whole" {
	# Two buffers: fields 1 to 19 are 1 to 19; then one that has a size alone.
	local all= i

	for i in {1..15}; do
		all+=$(printf '%02x%02x' $((i << 3)) "$i")
	done
	for i in {16..19}; do
		all+=$(printf '%02x01%02x' $((i << 3 & 127 | 128)) "$i")
	done
	local stats
	stats=$(message 1 "$all")$(message 1 6001)$(printf '10022803300c60056803700178027802')
	# Earlier statistics count for nothing.
	{
		echo 'stats overwritten=5 overwritten=6 overwritten=7 loss=9'
		printf 'rawpacket hex=9a02%02x%s\n' $((${#stats} / 2)) "$stats"
	} >script
	import <script
	same - <(indexed) <<-'END'
		traced_buf_bytes_written 0 1 info
		traced_buf_chunks_written 0 2 info
		traced_buf_chunks_overwritten 0 3 data_loss
		traced_buf_write_wrap_count 0 4 info
		traced_buf_patches_succeeded 0 5 info
		traced_buf_patches_failed 0 6 data_loss
		traced_buf_readaheads_succeeded 0 7 info
		traced_buf_readaheads_failed 0 8 info
		traced_buf_abi_violations 0 9 data_loss
		traced_buf_chunks_rewritten 0 10 info
		traced_buf_chunks_committed_out_of_order 0 11 info
		traced_buf_buffer_size 0 12 info
		traced_buf_buffer_size 1 1 info
		traced_buf_bytes_overwritten 0 13 data_loss
		traced_buf_bytes_read 0 14 info
		traced_buf_padding_bytes_written 0 15 info
		traced_buf_padding_bytes_cleared 0 16 info
		traced_buf_chunks_read 0 17 info
		traced_buf_chunks_discarded 0 18 data_loss
		traced_buf_trace_writer_packet_loss 0 19 data_loss
	END
	same - <(only stat got.out | jq -r 'select(has("index") | not) | "\(.name) \(.value) \(.severity)"') <<-'END'
		traced_producers_connected 2 info
		traced_data_sources_seen 3 info
		traced_tracing_sessions 12 info
		traced_flushes_requested 5 info
		traced_flushes_succeeded 3 info
		traced_flushes_failed 1 data_loss
		traced_final_flush_failed 1 data_loss
	END
	is "$(facts .buffers)" '[{"index":0,"size":12,"bytes_written":1,"bytes_overwritten":13,"wrapped":true,"chunks_discarded":18,"trace_writer_packet_loss":19},{"index":1,"size":1,"bytes_written":0,"bytes_overwritten":0,"wrapped":false,"chunks_discarded":0,"trace_writer_packet_loss":0}]'
	is "$(facts '[.flushes_failed, .final_flush]')" '[1,"failed"]'
}

@test "when tracing began and ended" {
	import <<-'END'
		clocks seq=1 c=3:900 c=6:1000
		service ts=1010 started=1
		service ts=1020 allstarted=1
		service ts=1030 disabled=0
		service ts=1040 disabled=1
		service started=1
	END
	is "$(facts '[.tracing_started_ts, .all_data_sources_started_ts, .tracing_disabled_ts]')" '[1010,1020,1040]'
}

@test "gaps between packets are counted" {
	import <<-'END'
		gfx ts=10 seq=5 dropped=1 type=POST layer=L buffer=1
		gfx ts=20 seq=5 type=POST layer=L buffer=1
		gfx ts=30 seq=5 dropped=1 type=POST layer=L buffer=1
	END
	is "$(facts .packets_lost)" 1
}

# many: forty events a millisecond apart, five hours after the start of time.
many() {
	local i

	for i in {0..39}; do
		echo "gfx ts=$((18000000000000 + i * 1000000)) type=POST layer=L buffer=1"
	done
}

@test "a time hours away is kept and flagged, and does not stretch the trace" {
	{
		echo 'gfx ts=5 type=POST layer=early buffer=2'
		many
		echo 'esurf ts=28000000000000 cookie=1 token=7 display=9 pid=1000 layer=late'
	} >script
	import <script
	is "$(facts '[.start_ts, .end_ts, .duration_ns, .outliers]')" '[18000000000000,18000039000000,39000000,2]'
	is "$(only 'buffer_event|expected_frame' got.out | jq -c 'select(.outlier) | [.type, .ts, .layer_name]' | tr '\n' ' ')" \
		'["buffer_event",5,"early"] ["expected_frame",28000000000000,"late"] '
	is "$(only buffer_event got.out | jq -c 'select(has("outlier") | not) | .layer_name' | uniq -c | awk '{ print $1 }')" 40
	# And what is asked for after the start is after the true one.
	tool got.out tc-import --from +30ms t.pftrace
	is "$(only buffer_event got.out | wc -l)" 10
}

@test "few packets, or sparse ones, have no outliers" {
	import <<-'END'
		gfx ts=5 type=POST layer=L buffer=1
		gfx ts=7200000000000 type=POST layer=L buffer=1
		gfx ts=20000000000000 type=POST layer=L buffer=1
	END
	is "$(facts '[.start_ts, .end_ts, .outliers]')" '[5,20000000000000,0]'
	is "$(only buffer_event got.out | jq -c 'select(.outlier)')" ''
}

@test "an artifact that cannot be parsed is an error with its path, the others go on" {
	trace good.pftrace <<<'esurf ts=100 cookie=1 token=7 display=9 pid=1000 layer=A'
	echo 'no trace' >bad
	: >empty
	head -c 20 /dev/zero >zeros
	for path in bad good.pftrace empty missing zeros good.pftrace; do
		echo "{\"type\":\"artifact\",\"kind\":\"perfetto\",\"path\":\"$path\"}"
	done >artifacts
	tool got.out tc-import artifacts
	ended 1
	is "$(only error got.out | jq -c '[.tool, .code, .subject]' | tr '\n' ' ')" \
		'["tc-import","malformed","bad"] ["tc-import","malformed","empty"] ["tc-import","no_input","missing"] ["tc-import","malformed","zeros"] '
	is "$(only expected_frame got.out | wc -l)" 2
	is "$(tail -n 1 got.out | jq .status)" 1
	is "${#stderr_lines[@]}" 4
}
