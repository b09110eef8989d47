package replayhttp

import (
	"encoding/json"
	"fmt"
	"slices"

	"tapedeck/replay"
	"tapedeck/schema/problem"
)

// parseCommand reads what a client sends over a WebSocket: {"op":"pause"},
// {"op":"seek","to":"+5s"}, {"op":"speed","value":2}, {"op":"step","frames":1}.
// The error is a *problem.Problem.
func parseCommand(text []byte) (replay.Command, error) {
	var in struct {
		Op     replay.Op       `json:"op"`
		To     *string         `json:"to"`
		Value  json.RawMessage `json:"value"`
		Frames json.RawMessage `json:"frames"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return replay.Command{}, problem.BadParameter("", "a control is a JSON object: "+err.Error(), replay.Ops...)
	}
	c := replay.Command{Op: in.Op}
	switch in.Op {
	case replay.Seek:
		if in.To == nil {
			return c, problem.BadParameter("to", "seek needs a place", replay.MarkAllowed...)
		}
		to, err := replay.ParseMark(*in.To)
		if err != nil {
			return c, problem.BadParameter("to", err.Error(), replay.MarkAllowed...)
		}
		c.To = to
	case replay.SetSpeed:
		if err := c.Speed.UnmarshalJSON(in.Value); err != nil {
			return c, problem.BadParameter("value", err.Error(), replay.SpeedAllowed)
		}
	case replay.Step:
		c.Frames = 1
		if in.Frames == nil {
			break
		}
		if err := json.Unmarshal(in.Frames, &c.Frames); err != nil || c.Frames == 0 {
			return c, problem.BadParameter("frames", fmt.Sprintf("%s is not a number of frames", in.Frames), "1 or more")
		}
	default:
		if !slices.Contains(replay.Ops, string(in.Op)) {
			return c, problem.BadParameter("op", fmt.Sprintf("there is no control %q", in.Op), replay.Ops...)
		}
	}
	return c, nil
}
