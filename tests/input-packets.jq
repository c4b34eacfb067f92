# The rows of input packets, the reference's or ($ours) those of tc-import, with
# the known differences between them evened out. They have the numbers of the list
# in the README beside the reference's rows:
#
#   25  what is absent reads 0 in a column of the reference
#   26  a time that is absent is converted nonetheless, as if it were 0
#
# 27, full and redacted packets are not told apart, and the time of a dispatch are
# fields that the reference lacks. Floats are compared in single precision.

def single:
	if . == null or . == 0 then .
	else frexp as [$m, $e] | $m * 16777216 | round | ldexp(.; $e - 24)
	end;

def is_float:
	endswith(".value") or test("_in_display$|^cursor_position_|^precision_");

def without_made_up($from; $to):
	if .args | has($from) then . else del(.args[$to]) end;

select(.type == "input_event" or .type == "input_dispatch")
| if $ours then
	del(.redacted, .machine_id, .trace)
	| if .kind == "motion" then del(.key_code) else . end
	| if .type == "input_dispatch" then del(.ts) else . end
	| map_values(if . == null then 0 else . end)
  else
	without_made_up("event_time_nanos"; "kernel_time")
	| without_made_up("down_time_nanos"; "down_time")
  end
| .args |= with_entries(if .key | is_float then .value |= single else . end)
