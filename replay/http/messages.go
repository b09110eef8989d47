package replayhttp

import (
	"strconv"

	"tapedeck/internal/jsonstring"
	"tapedeck/internal/problem"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// The messages other than frames. They begin with "type", which distinguishes them from messages of
// frames.

// appendEnd appends {"type":"end",…}, with the marker if a marked frame ended the playback.
func appendEnd(dst []byte, sum player.Summary) []byte {
	dst = append(dst, `{"type":"end","frames":`...)
	dst = strconv.AppendUint(dst, sum.Frames, 10)
	dst = appendWhere(dst, sum.Last, int64(sum.Offset))
	if sum.Marker != "" {
		dst = jsonstring.Append(append(dst, `,"marker":`...), sum.Marker)
	}
	return append(dst, '}')
}

// appendState appends {"type":"state",…}: the answer to a control, or a change that no control
// caused.
func appendState(dst []byte, op player.Op, st player.State) []byte {
	dst = append(dst, `{"type":"state","op":`...)
	dst = jsonstring.Append(dst, string(op))
	dst = append(dst, `,"state":`...)
	dst = jsonstring.Append(dst, st.State)
	dst = appendWhere(dst, st.Position, int64(st.Offset))
	dst = append(dst, `,"speed":`...)
	if st.Speed == player.Max {
		dst = append(dst, `"max"`...)
	} else {
		dst = append(dst, st.Speed.String()...)
	}
	dst = append(dst, `,"frames":`...)
	dst = strconv.AppendUint(dst, st.Frames, 10)
	dst = strconv.AppendBool(append(dst, `,"paused":`...), st.State != "playing")
	dst = strconv.AppendBool(append(dst, `,"looping":`...), st.Looping)
	dst = append(dst, `,"idle_limit_ms":`...)
	if st.Idle == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendMillis(dst, int64(st.Idle))
	}
	dst = append(dst, `,"marker":`...)
	if st.Marker == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsonstring.Append(dst, st.Marker)
	}
	dst = appendMillis(append(dst, `,"duration_ms":`...), int64(st.Duration))
	dst = strconv.AppendBool(append(dst, `,"live":`...), st.Live)
	if st.Growing {
		dst = appendMillis(append(dst, `,"behind_ms":`...), int64(st.Behind))
		dst = appendMillis(append(dst, `,"as_of_ms":`...), int64(st.AsOf))
	}
	return append(dst, '}')
}

// appendWhere appends the position of the last frame, null before the first frame, and the offset
// reached.
func appendWhere(dst []byte, last schema.Position, offset int64) []byte {
	dst = append(dst, `,"position":`...)
	if last.IsZero() {
		dst = append(dst, "null"...)
	} else {
		dst = jsonstring.Append(dst, last.String())
	}
	dst = append(dst, `,"offset_ms":`...)
	return appendMillis(dst, offset)
}

// appendError appends a problem with "type":"error" before its own members.
func appendError(dst []byte, p *problem.Problem) []byte {
	return appendProblem(append(dst, `{"type":"error",`...), p)
}

// appendBroken appends the problem that ended a playback, and the id of its last frame, from which
// it can be resumed.
func appendBroken(dst []byte, p *problem.Problem, id string) []byte {
	dst = append(dst, `{"type":"error",`...)
	if id != "" {
		dst = append(jsonstring.Append(append(dst, `"position":`...), id), ',')
	}
	return appendProblem(dst, p)
}

func appendProblem(dst []byte, p *problem.Problem) []byte {
	start := len(dst)
	dst = p.Append(dst)
	return append(dst[:start], dst[start+1:]...) // without its brace
}
