// Package dialecttest tests dialects: with cases, which are scripts of frames and the facts that a
// dialect derives from them, and with a fuzz test.
//
// A case is a txtar file. Its comment describes the case. The file "frames" has a frame on each
// line:
//
//	+250ms recv {"type":"ping"}
//	+0s send {"type":"run"}
//	+1s recv event=delta id=7 {"text":"x"}
//	+5ms recv raw ": a comment\n\n"
//	+0s send head POST /v1/messages HTTP/1.1|Content-Type: application/json
//	+0s send body {"model":"m"}
//	+2s end
//
// The time is the time since the line before. event and id are fields of an SSE event; event is
// also the name of an event stream's message. raw is followed by the frame's bytes as a Go string.
// head is followed by the lines of an HTTP head with "|" between them, and body by a whole HTTP
// body. Without an end line the stream ends with its last frame. Blank lines and lines that begin
// with # are ignored.
//
// The optional file "options" has lines such as "transport: ndjson" (or sse, websocket, http,
// eventstream; the default is ndjson) and "garbage: yes", for a case whose facts must stay the
// same with lines of garbage between its frames.
//
// The file "facts" is the outcome as Render writes it; -update writes it.
package dialecttest

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"tapedeck/schema"
)

// Script is a case: the frames of a stream and its end.
type Script struct {
	Transport schema.Transport
	Garbage   bool
	Frames    []schema.Frame // Seq, At, Direction, Transport and Raw
	End       int64          // ns
}

// Start is the start of a script, ns. It is a full hour, so that times in the outcome are offsets
// from it.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// Parse reads a case.
func Parse(a *txtar.Archive) (*Script, error) {
	s := &Script{End: Start}
	for _, f := range a.Files {
		if f.Name != "options" {
			continue
		}
		if err := s.options(f.Data); err != nil {
			return nil, fmt.Errorf("options: %w", err)
		}
	}
	for _, f := range a.Files {
		if f.Name != "frames" {
			continue
		}
		if err := s.frames(f.Data); err != nil {
			return nil, fmt.Errorf("frames: %w", err)
		}
	}
	if len(s.Frames) == 0 {
		return nil, fmt.Errorf("the case has no frames")
	}
	return s, nil
}

func (s *Script) options(data []byte) error {
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "":
		case "garbage":
			s.Garbage = value == "yes"
		case "transport":
			t, err := schema.ParseTransport(value)
			if err != nil {
				return err
			}
			s.Transport = t
		default:
			return fmt.Errorf("option %q is not one of transport, garbage", key)
		}
	}
	return nil
}

func (s *Script) frames(data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	at, number := Start, 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		gone, rest, _ := strings.Cut(line, " ")
		d, err := time.ParseDuration(strings.TrimPrefix(gone, "+"))
		if err != nil || d < 0 {
			return fmt.Errorf("line %d: %q is not a time such as +250ms", number, gone)
		}
		at += int64(d)
		s.End = at
		if rest == "end" {
			break
		}
		f := schema.Frame{Seq: uint64(len(s.Frames)), At: at, Transport: s.Transport}
		if err := s.frame(&f, rest); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		s.Frames = append(s.Frames, f)
	}
	return lines.Err()
}

// frame reads a line after its time.
func (s *Script) frame(f *schema.Frame, text string) error {
	direction, rest, _ := strings.Cut(text, " ")
	switch direction {
	case "recv":
	case "send":
		f.Direction = schema.Send
	default:
		return fmt.Errorf("%q is not one of recv, send, end", direction)
	}
	if quoted, ok := strings.CutPrefix(rest, "raw "); ok {
		raw, err := strconv.Unquote(quoted)
		if err != nil {
			return fmt.Errorf("%s is not a Go string: %w", quoted, err)
		}
		f.Raw = []byte(raw)
		return nil
	}
	if lines, ok := strings.CutPrefix(rest, "head "); ok {
		f.Transport, f.Flags, f.Raw = schema.HTTP, schema.FlagNote, head(lines)
		return nil
	}
	if text, ok := strings.CutPrefix(rest, "body "); ok {
		f.Transport, f.Raw = schema.HTTP, []byte(text)
		return nil
	}
	var event, id string
	for {
		word, after, _ := strings.Cut(rest, " ")
		if v, ok := strings.CutPrefix(word, "event="); ok {
			event, rest = v, after
		} else if v, ok := strings.CutPrefix(word, "id="); ok {
			id, rest = v, after
		} else {
			break
		}
	}
	f.Raw = wire(s.Transport, event, id, rest)
	return nil
}

// head returns an HTTP head with the given lines.
func head(lines string) []byte {
	return []byte(strings.ReplaceAll(lines, "|", "\r\n") + "\r\n\r\n")
}

// wire frames a message for a transport.
func wire(t schema.Transport, event, id, data string) []byte {
	var b bytes.Buffer
	switch t {
	case schema.NDJSON:
		b.WriteString(data + "\n")
	case schema.SSE:
		if id != "" {
			b.WriteString("id: " + id + "\n")
		}
		if event != "" {
			b.WriteString("event: " + event + "\n")
		}
		b.WriteString("data: " + data + "\n\n")
	case schema.EventStream:
		b.Write(eventMessage(event, data))
	default:
		b.WriteString(data)
	}
	return b.Bytes()
}

// Case reads the frames of a case's file.
func Case(t testing.TB, file string) []schema.Frame {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := Parse(archive)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return script.Frames
}
