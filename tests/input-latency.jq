# How the rows of input latency of tc-import differ from the reference's, and why.
#
# usage: jq -rn --slurpfile expected EXPECTED --slurpfile records RECORDS -f THIS
#
# RECORDS are those of types input_latency, slice and actual_frame. Prints a line
# for each difference: the number of the reason, in the list of the README beside
# the expected rows, and what differs; "unexplained" where no reason holds. The
# reasons are not taken on trust: for each, what it says of the trace is looked up.

def base: sub(" \\((server|client)\\)$"; "");

# ---- what the trace has ----

($records | map(select(.type == "input_latency"))) as $events
| ($expected | map(select(.type == "input_latency"))) as $rows
| ($records | any(.type == "actual_frame" and .surface_frame_token != null)) as $has_timeline
| ($records | map(select(.type == "slice" and .kind == "thread"))) as $slices
| ($slices | map(select(.name | startswith("deliverInputEvent src=")))
	| map({key: "\(.ts)", value: .}) | from_entries) as $deliveries
| ($slices | map(select(.name | startswith("UnwantedInteractionBlocker::notifyMotion(")))
	| group_by(.name | capture("id=(?<id>0x[0-9a-f]+)").id)
	| map({key: (.[0].name | capture("id=(?<id>0x[0-9a-f]+)").id), value: length}) | from_entries) as $reads
| ($slices | map(select(.name | test("^Choreographer#doFrame( -?[0-9]|$)")))) as $doframes
| ($slices | map(select(.name | test("^DrawFrames? ?[0-9]*")))) as $draws
| ($records | map(select(.type == "actual_frame"))) as $frames

# Events of one channel and sequence number, and those of one number.
| ($events | group_by([(.event_channel | base), .seq]) | map({key: "\(.[0].event_channel | base) \(.[0].seq)", value: length})
	| from_entries) as $uses
| ($events | group_by(.seq) | map({key: "\(.[0].seq)", value: map(.event_channel | base) | unique | length}) | from_entries) as $channels

# ---- rows that are there and not here, or the reverse ----

| def is_of($e):
	.dispatch_ts == $e.dispatch_ts and .event_seq == $e.event_seq
	and (.event_channel == $e.event_channel or .event_channel == ($e.event_channel | split(",")[0]));

def is_same($e):
	.receive_ts == $e.receive_ts and .handling_latency_dur == $e.handling_latency_dur
	and .ack_latency_dur == $e.ack_latency_dur and .total_latency_dur == $e.total_latency_dur;

# Why the reference has no row of the event.
def missing($e):
	if any($e.dispatch_ts, $e.receive_ts, $e.finish_ts, $e.ack_ts; . == null) then 3
	elif any($e.dispatch_thread_name, $e.thread_name, $e.dispatch_pid, $e.receive_pid, $e.pid; . == null) then 6
	elif $e.dispatch_thread_name != "InputDispatcher" then 7
	elif $e.event_channel | contains("=") then 1
	else "unexplained" end;

# Why a row of the event has other messages than it.
def mixed($e):
	if $uses["\($e.event_channel | base) \($e.seq)"] > 1 then 4
	elif $e.finish_count > 1 and .receive_ts == $e.receive_ts
		and .handling_latency_dur == $e.last_finish_ts - $e.receive_ts then 5
	else "unexplained" end;

def overlaps($d):
	.utid == $d.utid and .ts < $d.ts + $d.dur and (.dur < 0 or $d.ts < .ts + .dur);

# Windows of one process that got the same event.
def windows($e):
	$events | map(select(.event_id != null and .event_id == $e.event_id and .process_name == $e.process_name)) | length;

# Why the event has more than one row of its messages.
def doubled($e):
	if $e.input_event_id != null and $reads[$e.input_event_id] > 1 then 13
	elif $channels["\($e.seq)"] > 1 then 16
	elif $uses["\($e.event_channel | base) \($e.seq)"] > 1 then 4
	elif windows($e) > 1 then 17
	elif $e.delivery_ts != null and $deliveries["\($e.delivery_ts)"] as $d
		| [$doframes[] | select(overlaps($d))] | length > 1 then 20
	elif ($has_timeline | not) and $e.match != "none" then 24
	else "unexplained" end;

# ---- columns ----

def own_frame: .frame_id != null or .is_speculative_frame != null or .end_to_end_latency_dur != null;

# The second word of the channel, up to the slash, is all that the reference knows of a process.
def names_process($e): ($e.event_channel | split(" ")[1] // "" | split("/")[0] // "") == $e.process_name;

# Another event of that number, on another channel, which the reference takes for this one.
def is_mistaken($e; $row):
	$row.input_event_id != $e.input_event_id
	and any($events[]; .seq == $e.seq and .event_channel != $e.event_channel and .input_event_id == $row.input_event_id);

# The same event in another process of the same name.
def has_namesake($e):
	any($events[]; .event_id == $e.event_id and .upid != $e.upid and .process_name == $e.process_name);

# A doFrame that the reference takes for a frame: something was drawn for it.
def is_drawn: . as $f | .vsync_id != null and .vsync_id >= 0
	and any($draws[]; .vsync_id == $f.vsync_id and .upid == $f.upid);

# Why the reference knows of no frame of the event. Itself may have the same reason.
def unframed($e; $row):
	($deliveries["\($e.delivery_ts)"] // {}) as $d
	| if is_mistaken($e; $row) then 16
	  elif $row.input_event_id == null then 11
	  elif names_process($e) | not then 18
	  elif $d.depth == 0 then 19
	  elif $has_timeline != ($e.matched_frame_id != null) then 24
	  else "unexplained" end;

# Why the reference has another frame.
def reframed($e; $row):
	($deliveries["\($e.delivery_ts)"] // {}) as $d
	| [$doframes[] | select(overlaps($d))] as $around
	| if $e.delivery_ts == null then
		if $channels["\($e.seq)"] > 1 then 16
		elif windows($e) > 1 and has_namesake($e) then 18
		else "unexplained" end
	  elif $around | length > 1 then 20
	  elif $row.is_speculative_frame == 1 and $e.match == "exact" and ($d.dur <= 0 or ($around | any(is_drawn | not))) then 19
	  elif $channels["\($e.seq)"] > 1 then 16
	  elif windows($e) > 1 then 17
	  elif has_namesake($e) then 18
	  else "unexplained" end;

def frame($e; $row):
	if ($row | own_frame | not) and ($e | own_frame) then unframed($e; $row)
	else reframed($e; $row) end;

# An end that is not known is not taken for the start.
def presented($e; $row):
	if $e.end_to_end_latency_dur == null and $e.frame_id == $row.frame_id
		and any($frames[]; .surface_frame_token == null and .dur == -1
			and $row.end_to_end_latency_dur == .ts - 1 - $row.read_time) then 22
	else frame($e; $row) end;

# What the reference makes of the slice around a delivery.
def piece: split("_")[1] // "" | split(" ")[0] // "";

def action($e; $row):
	($deliveries["\($e.delivery_ts)"].parent_id // -1) as $parent
	| if $row.event_action == null and ($row | own_frame | not) then 14
	  elif any($slices[]; .id == $parent and (.name | piece) == ($row.event_action // "")) then 14
	  else frame($e; $row) end;

# A channel without its front and back as the reference sees them.
def normalized:
	if startswith("[") then .
	elif contains(" ") then .[index(" ") + 1:] | split(":")[0]
	else sub("[0-9]+$"; "") | if test("[A-Za-z]") then . else null end end;

def reason($e; $row; $column):
	if $column == "event_channel" then 2
	elif $column == "normalized_event_channel" then
		if $row.normalized_event_channel != ($row.event_channel | normalized) then "unexplained"
		elif $e.event_channel | contains(",") then 2
		else 9 end
	elif is_mistaken($e; $row) then 16
	elif $column == "input_event_id" or ($column == "event_time" or $column == "read_time") and $row[$column] == null then
		if $row.input_event_id == null and $row.read_time == null and ($row | own_frame | not) then 11 else "unexplained" end
	elif $column == "read_time" or $column == "event_time" then
		if $reads[$e.input_event_id] > 1 then 13 else "unexplained" end
	elif $column == "event_action" then action($e; $row)
	elif $column == "end_to_end_latency_dur" then presented($e; $row)
	elif $column == "frame_id" or $column == "is_speculative_frame" then frame($e; $row)
	else "unexplained" end;

def columns($e): . as $row | [$row | keys[] | select($row[.] != $e[.])];

# ---- all of it ----

[	$events[] as $e
	| [$rows[] | select(is_of($e))] as $mine
	| [$mine[] | select(is_same($e))] as $same
	| if $same == [] then {reason: missing($e), what: "row missing"}
	  else
		($same | min_by(columns($e) | length)) as $row
		| ($row | columns($e)[]) as $column
		| {reason: reason($e; $row; $column), what: $column, ref: $row[$column], our: $e[$column]}
	  end,
	  if $same | length > 1 then ($same[1:][] | {reason: doubled($e), what: "row doubled"}) else empty end,
	  ($mine[] | select(is_same($e) | not) | {reason: mixed($e), what: "row of other messages"})
	| if .reason == "unexplained" then . + {event: $e} else . end
],
[	$rows[] as $r | select(any($events[]; . as $e | $r | is_of($e)) | not) | {reason: "unexplained", what: "row extra", event: $r}
]
| .[] | if .reason == "unexplained" then "unexplained \(.)" else "\(.reason) \(.what)" end
