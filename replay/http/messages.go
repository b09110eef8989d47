package replayhttp

import (
	"strconv"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/problem"
)

// The messages that are not frames. All of them have a "type", and no frame's
// message begins with it.

// appendEnd appends {"type":"end",…}.
func appendEnd(dst []byte, sum replay.Summary) []byte {
	dst = append(dst, `{"type":"end","frames":`...)
	dst = strconv.AppendUint(dst, sum.Frames, 10)
	dst = appendWhere(dst, sum.Last, int64(sum.Offset))
	return append(dst, '}')
}

// appendState appends {"type":"state",…}, the answer to a control.
func appendState(dst []byte, op replay.Op, st replay.State) []byte {
	dst = append(dst, `{"type":"state","op":`...)
	dst = appendString(dst, string(op))
	dst = append(dst, `,"state":`...)
	dst = appendString(dst, st.State)
	dst = appendWhere(dst, st.Position, int64(st.Offset))
	dst = append(dst, `,"speed":`...)
	if st.Speed == replay.Max {
		dst = append(dst, `"max"`...)
	} else {
		dst = append(dst, st.Speed.String()...)
	}
	dst = append(dst, `,"frames":`...)
	dst = strconv.AppendUint(dst, st.Frames, 10)
	return append(dst, '}')
}

// appendWhere appends the position of the last frame, null before the first,
// and how far the tape has been played.
func appendWhere(dst []byte, last schema.Position, offset int64) []byte {
	dst = append(dst, `,"position":`...)
	if last.IsZero() {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, last.String())
	}
	dst = append(dst, `,"offset_ms":`...)
	return appendMillis(dst, offset)
}

// appendError appends a problem with "type":"error" before its own members.
func appendError(dst []byte, p *problem.Problem) []byte {
	dst = append(dst, `{"type":"error",`...)
	start := len(dst)
	dst = p.Append(dst)
	return append(dst[:start], dst[start+1:]...) // without its brace
}
