package replayhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/replay/player"
)

// command is a control in the form in which a client sends it over a WebSocket.
type command struct {
	Op     player.Op       `json:"op"`
	To     *string         `json:"to"`
	Value  json.RawMessage `json:"value"`
	Frames json.RawMessage `json:"frames"`
}

// notJSON returns the reason for which a message is not a control, without Go type names.
func notJSON(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return "this is of type " + wrong.Value
		}
		return wrong.Field + " must not be of type " + wrong.Value
	}
	return err.Error()
}

// parseCommand parses {"op":"pause"}, {"op":"resume"}, {"op":"seek","to":"+5s"},
// {"op":"speed","value":2}, {"op":"step","frames":-1}, {"op":"idle_limit","value":"2s"},
// {"op":"marker","value":"type:tool_call"}, {"op":"loop","value":false}, {"op":"live"} and
// {"op":"state"}. The value null removes a limit or a marker. The error is a *problem.Problem.
func parseCommand(text []byte) (player.Command, error) {
	var in command
	if err := json.Unmarshal(text, &in); err != nil {
		return player.Command{}, problem.BadParameter("",
			"a control is a JSON object such as {\"op\":\"pause\"}: "+notJSON(err), player.Ops...)
	}
	c := player.Command{Op: in.Op}
	switch in.Op {
	case player.Seek:
		if in.To == nil {
			return c, problem.BadParameter("to", "seek needs a place", player.MarkAllowed...)
		}
		to, err := player.ParseMark(*in.To)
		if err != nil {
			return c, problem.BadParameter("to", err.Error(), player.MarkAllowed...)
		}
		c.To = to
	case player.SetSpeed:
		if err := c.Speed.UnmarshalJSON(in.Value); err != nil {
			return c, problem.BadParameter("value", err.Error(), player.SpeedAllowed)
		}
	case player.Step:
		c.Frames = 1
		if in.Frames == nil {
			break
		}
		if err := json.Unmarshal(in.Frames, &c.Frames); err != nil || c.Frames == 0 || c.Frames < -player.MostBack {
			return c, problem.BadParameter("frames", fmt.Sprintf("%s is not a number of frames", in.Frames),
				"1 or more", fmt.Sprintf("-1 to -%d: backwards", player.MostBack))
		}
	case player.SetIdle, player.SetMark, player.SetLoop:
		return c, in.setting(&c)
	default:
		if !slices.Contains(player.Ops, string(in.Op)) {
			return c, problem.BadParameter("op", fmt.Sprintf("there is no control %q", in.Op), player.Ops...)
		}
	}
	return c, nil
}

// setting reads the value of a control that sets something. The value of loop may be omitted, which
// switches it on.
func (in *command) setting(c *player.Command) error {
	if in.Op == player.SetLoop {
		c.On = true
		if in.Value == nil {
			return nil
		}
		if err := json.Unmarshal(in.Value, &c.On); err != nil || string(in.Value) == "null" {
			return problem.BadParameter("value", fmt.Sprintf("loop %s is neither on nor off", in.Value), "true",
				"false")
		}
		return nil
	}
	allowed := append(slices.Clone(player.MarkerAllowed), "null for none")
	if in.Op == player.SetIdle {
		allowed = []string{"a duration such as 2s", "null for no limit"}
	}
	var text *string
	err := json.Unmarshal(in.Value, &text)
	switch {
	case err != nil:
		err = fmt.Errorf("value %s is not a text", in.Value)
	case text == nil: // null: no value
	case in.Op == player.SetMark:
		c.To, err = player.ParseMarker(*text)
	default:
		if c.Idle, err = time.ParseDuration(*text); err != nil || c.Idle < 0 {
			err = fmt.Errorf("idle_limit %q is not a duration", *text)
		}
	}
	if err != nil {
		return problem.BadParameter("value", err.Error(), allowed...)
	}
	return nil
}
