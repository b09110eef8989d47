package mcpserver

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"tapedeck/internal/apiclient"
	"tapedeck/query/session/sessionframes"
)

const readFramesText = "The recorded frames of a session as they came over the wire, in order, with their times. Needs a token with the scope read:raw. With position one frame in full."

type readFramesArguments struct {
	Session   string   `json:"session" jsonschema:"The id of the session, from find_sessions."`
	Position  string   `json:"position,omitempty" jsonschema:"Only the frame at this position, in full: from read_span, session_errors or search_text."`
	Offset    int      `json:"offset,omitempty" jsonschema:"With position: where in the frame to begin, in bytes."`
	After     string   `json:"after,omitempty" jsonschema:"Only frames after this position."`
	Type      []string `json:"type,omitempty" jsonschema:"Only frames of these types."`
	Direction []string `json:"direction,omitempty" jsonschema:"Only frames that the client sent (send) or received (receive)."`
	Bytes     int      `json:"bytes,omitempty" jsonschema:"Bytes of each frame at most, up to 4000. Default: 400."`
	Limit     int      `json:"limit,omitempty" jsonschema:"Frames at most, up to 100. Default: 30."`
	Cursor    string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the frames after it."`
}

// frameLine is a frame in a list.
type frameLine struct {
	Position  string   `json:"position"`
	OffsetMS  float64  `json:"offset_ms"`
	Direction string   `json:"direction"`
	Type      string   `json:"type"`
	Agent     string   `json:"agent,omitempty"`
	Flags     []string `json:"flags,omitempty"`
	Size      int      `json:"size"`
	window
	Base64 bool `json:"base64,omitempty"` // text is base64
	Cut    bool `json:"cut,omitempty"`
}

func newFrameLine(f *sessionframes.Frame, text string, from, size int) (line frameLine, next int) {
	line = frameLine{Position: f.Position, OffsetMS: f.OffsetMS, Direction: f.Direction, Type: short(f.Type, nameSize),
		Agent: short(f.Agent, nameSize), Flags: shortList(f.Flags, 8), Size: f.Size}
	line.window, next = windowOf(text, from, size)
	line.Cut = next > 0
	return line, next
}

func readFrames(ctx context.Context, c *call, in readFramesArguments) (*answer, error) {
	at, err := c.after(in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.Session == "" {
		return nil, errNoSession
	}
	if in.Position != "" {
		return oneFrame(ctx, c, in)
	}
	if at == "" {
		at = in.After
	}
	q := url.Values{"type": in.Type, "direction": in.Direction}
	size := within(in.Bytes, excerptSize, windowSize)
	a := &answer{list: "frames"}
	p, err := readPage(ctx, c, a, apiclient.SessionPath(in.Session, "frames"), q, within(in.Limit, 30, 100), at, "frames",
		func(f *sessionframes.Frame) any {
			text := string(f.JSON)
			switch {
			case f.Text != nil:
				text = *f.Text
			case f.Base64 != nil:
				text = *f.Base64
			}
			line, _ := newFrameLine(f, text, 0, size)
			line.Base64 = f.Base64 != nil
			return line
		})
	if err != nil {
		return nil, err
	}
	a.outline = fmt.Sprintf("%d frames of session %s.", len(p.Items), short(in.Session, nameSize))
	if len(p.Items) == 0 {
		a.outline += " Leave out type and direction for others."
	} else {
		a.outline += ` A frame that is cut is returned in full by read_frames with its position.`
	}
	return a, nil
}

// oneFrame returns a frame with a window of its bytes.
func oneFrame(ctx context.Context, c *call, in readFramesArguments) (*answer, error) {
	var f sessionframes.WholeFrame
	if err := c.Get(ctx, apiclient.SessionPath(in.Session, "frames", url.PathEscape(in.Position)), nil, &f); err != nil {
		return nil, err
	}
	text, binary := string(f.Raw), !utf8.Valid(f.Raw)
	if binary {
		text = base64.StdEncoding.EncodeToString(f.Raw)
	}
	line, next := newFrameLine(&f.Frame, text, in.Offset, 3*windowSize)
	line.Base64 = binary
	a := &answer{}
	a.outline = fmt.Sprintf("The frame at %s: bytes %d to %d of %d.", short(f.Position, nameSize), line.From, line.From+len(line.Text), line.Bytes)
	if binary {
		a.outline = strings.TrimSuffix(a.outline, ".") + ", in base64."
	}
	a.set("frame", line)
	a.more = func(int) ([]more, error) {
		list := []more{{What: "the frames after this one", Tool: c.tool,
			Arguments: map[string]any{"session": in.Session, "after": f.Position}}}
		if next > 0 {
			list = append([]more{{What: fmt.Sprintf("the %d bytes after these", line.Bytes-next), Tool: c.tool,
				Arguments: c.again(map[string]any{"offset": next})}}, list...)
		}
		return list, nil
	}
	return a, nil
}
