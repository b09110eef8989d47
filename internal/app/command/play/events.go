package play

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"tapedeck/internal/console"
)

// event holds the members of a message that PrintEvents uses.
type event struct {
	Type      string          `json:"type"`
	OffsetMS  float64         `json:"offset_ms"`
	Direction string          `json:"direction"`
	NodeID    string          `json:"node_id"`
	Frame     json.RawMessage `json:"frame"`
	Text      *string         `json:"text"`
	Base64    *string         `json:"base64"`
	Frames    uint64          `json:"frames"`
	Detail    string          `json:"detail"`
	StreamID  string          `json:"stream_id"` // of a frame; an end or error message has none
}

// PrintEvents prints a line for each frame of a playback in mode=event.
func PrintEvents(w io.Writer, r io.Reader) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			return errNoEnd
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e event
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("read %q: %w", console.Clip(string(text), 80), err)
		}
		if e.last() {
			if e.Type == "error" {
				return errors.New(e.Detail)
			}
			_, err := fmt.Fprintf(w, "── end, %s\n", console.Count(e.Frames, "frame"))
			return err
		}
		arrow := "←"
		if e.Direction == "send" {
			arrow = "→"
		}
		if _, err := fmt.Fprintf(w, "%s %s %-18s %-14s %s\n", offset(e.OffsetMS), arrow, console.Line(e.Type),
			console.Line(e.NodeID), console.Clip(e.content(), 120)); err != nil {
			return err
		}
	}
}

// CopyEvents writes the messages of a playback in mode=event as they arrive. If the playback did
// not reach its end, it returns an error after the last message.
func CopyEvents(w io.Writer, r io.Reader) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var last []byte
	for {
		text, err := lines.ReadBytes('\n')
		if _, err := w.Write(text); err != nil {
			return err
		}
		if len(text) > 0 {
			last = text
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	var e event
	if err := json.Unmarshal(last, &e); err != nil || !e.last() {
		return errNoEnd
	}
	if e.Type == "error" {
		return errors.New(e.Detail)
	}
	return nil
}

var errNoEnd = errors.New("the server ended it without an end message")

// last reports whether the message is the last one of a playback: its end, or the error that ended
// it.
func (e *event) last() bool { return e.StreamID == "" && (e.Type == "end" || e.Type == "error") }

// content returns the frame as text.
func (e *event) content() string {
	switch {
	case e.Frame != nil:
		return string(e.Frame)
	case e.Text != nil:
		return *e.Text
	case e.Base64 != nil:
		return "base64 " + *e.Base64
	}
	return ""
}

// offset formats a time from the start as m:ss.mmm.
func offset(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond)
	return fmt.Sprintf("%3d:%06.3f", int(d.Minutes()), (d % time.Minute).Seconds())
}
