package sessionhtml

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"
)

var (
	//go:embed script.js
	scriptText string
	script     = template.Must(template.New("script").Parse(scriptText))
)

// recordingMark stands in the page where the script inserts a recording. No part of the page contains it:
// it is no digit of base 85 and no word of the loader.
const recordingMark = "{recording}"

// WriteScript writes player.js, a script that plays a recording inside another page: it adds a frame with the
// page of an HTML file and the recording, JSON as WriteData writes it, that its element names.
func WriteScript(w io.Writer, version string) error {
	var b strings.Builder
	if err := writePage(&b, values{Version: version, Title: "Recording", Recording: recordingMark, Plain: true}); err != nil {
		return err
	}
	head, tail, found := strings.Cut(b.String(), recordingMark)
	if !found || strings.Contains(tail, recordingMark) {
		return fmt.Errorf("the page of the player has not exactly one place for a recording")
	}
	parts := struct{ Version, Head, Tail string }{Version: version}
	for _, part := range []struct {
		to   *string
		text string
	}{{&parts.Head, head}, {&parts.Tail, tail}} {
		text, err := json.Marshal(part.text)
		if err != nil {
			return err
		}
		*part.to = string(text)
	}
	return script.Execute(w, parts)
}

// WriteData writes the recording alone, as JSON for player.js.
func WriteData(w io.Writer, r *Recording) error {
	if err := json.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("encode the recording: %w", err)
	}
	return nil
}
