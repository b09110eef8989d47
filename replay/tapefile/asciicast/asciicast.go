// Package asciicast writes a session as an asciicast, version 2, for asciinema
// and players on web pages: the messages of the conversation, with their recorded
// timing, or, if the session has no messages, the frames, one per line.
package asciicast

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tapedeck/replay"
	"tapedeck/schema"
)

// The size of the terminal in the recording.
const (
	width  = 100
	height = 30
)

// Write writes a session. messages are its messages, of all streams, in any order.
func Write(ctx context.Context, w io.Writer, t replay.Tape, title string, messages []schema.Message) error {
	out := bufio.NewWriter(w)
	start := replay.FirstAt(t)
	err := write(out, map[string]any{
		"version": 2, "width": width, "height": height, "timestamp": time.Unix(0, start).Unix(),
		"title": visible(title), "env": map[string]string{"TERM": "xterm-256color"},
	})
	if err != nil {
		return err
	}
	c := &cast{out: out, start: start}
	if len(messages) > 0 {
		err = c.messages(messages)
	} else {
		err = c.frames(ctx, t)
	}
	return errors.Join(err, out.Flush())
}

func write(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// cast writes terminal output as an asciicast.
type cast struct {
	out   io.Writer
	start int64
}

// show writes an output event at a recorded time.
func (c *cast) show(at int64, text string) error {
	if text == "" {
		return nil
	}
	return write(c.out, []any{json.Number(fmt.Sprintf("%.6f", float64(max(at-c.start, 0))/1e9)), "o", text})
}

// piece is the text that a message received at one time.
type piece struct {
	at      int64
	message *schema.Message
	text    string
}

// messages writes the pieces of all messages ordered by time, with a heading wherever the message
// changes.
func (c *cast) messages(list []schema.Message) error {
	var pieces []piece
	for i := range list {
		pieces = append(pieces, grew(&list[i])...)
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	var last *schema.Message
	for _, p := range pieces {
		text := visible(p.text)
		if p.message != last {
			text = "\x1b[0m\r\n\r\n" + heading(p.message) + text
			if last == nil {
				text = strings.TrimPrefix(text, "\x1b[0m\r\n\r\n")
			}
			last = p.message
		}
		if err := c.show(p.at, text); err != nil {
			return err
		}
	}
	if last == nil {
		return nil
	}
	return c.show(pieces[len(pieces)-1].at, "\x1b[0m\r\n")
}

// grew splits a message into the pieces in which it arrived.
func grew(m *schema.Message) []piece {
	if m.Text == "" || m.Kind == schema.MessageReply {
		return nil // a reply repeats earlier text
	}
	var pieces []piece
	from := 0
	for i, end := range m.ChunkEnd {
		to := int(end)
		if i >= len(m.ChunkAt) || to <= from || to > len(m.Text) {
			continue
		}
		if to < len(m.Text) && !utf8.RuneStart(m.Text[to]) {
			continue // ends within a character: write it with the next piece
		}
		pieces = append(pieces, piece{m.ChunkAt[i], m, m.Text[from:to]})
		from = to
	}
	if from < len(m.Text) {
		at := m.Started
		if len(pieces) > 0 {
			at = max(m.Ended, pieces[len(pieces)-1].at)
		}
		pieces = append(pieces, piece{at, m, m.Text[from:]})
	}
	return pieces
}

// heading returns the role of a message, in the colour of its text.
func heading(m *schema.Message) string {
	colours := map[schema.MessageKind]string{
		schema.MessageUser: "36", schema.MessageThinking: "2", schema.MessageArguments: "33",
		schema.MessageOutput: "33", schema.MessageResult: "32", schema.MessageError: "31",
	}
	who := strings.ReplaceAll(string(m.Kind), "_", " ")
	if m.Name != "" {
		who += " · " + m.Name
	}
	text := "\x1b[1m" + visible(who) + "\x1b[0m\r\n"
	if colour := colours[m.Kind]; colour != "" {
		text += "\x1b[" + colour + "m"
	}
	return text
}

// frames writes the content of every frame, one per line.
func (c *cast) frames(ctx context.Context, t replay.Tape) error {
	r, err := t.Read(ctx, replay.Query{Bare: true, Filter: replay.Filter{Bytes: true}})
	if err != nil {
		return err
	}
	defer r.Close()
	var buf []byte
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range frames {
			var content schema.Content
			content, buf = schema.Unframe(&frames[i].Frame, buf)
			if content.Empty {
				continue
			}
			text := visible(string(content.Data))
			if frames[i].Direction == schema.Send {
				text = "\x1b[36m> " + text + "\x1b[0m"
			}
			if err := c.show(frames[i].At, text+"\r\n"); err != nil {
				return err
			}
		}
	}
}

// visible escapes control characters, and ends lines with CR LF.
func visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString("\r\n")
		case r == '\t':
			b.WriteByte('\t')
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r == utf8.RuneError:
			b.WriteRune('\ufffd')
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
