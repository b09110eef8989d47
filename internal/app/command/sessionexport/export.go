// Package sessionexport writes sessions as a tape, or in a format of another tool.
package sessionexport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/app/command/sessionhtml"
	"tapedeck/internal/app/command/tapecopy"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/replay/tapefile"
	"tapedeck/replay/tapefile/asciicast"
	"tapedeck/replay/tapefile/har"
)

// Export describes what to export.
type Export struct {
	Format   string // tape, ndjson, sse, asciicast, har, html, player, otlp, trace or atif
	Sessions []string
	All      bool   // Sessions are all of the tenant: those whose frames expired or were deleted are left out
	Session  string // for a tape file with several sessions, which one
	Server   func() (*apiclient.Client, error)
	Content  bool      // write messages and arguments to OTLP
	NoNotes  bool      // leave notes out of a tape
	Version  string    // of the program
	Notes    io.Writer // receives notes about the export, for people

	Gone int // the sessions that Write left out
}

// Write writes the export, and returns a description of its size.
func (e *Export) Write(ctx context.Context, out *output.File) (string, error) {
	switch e.Format {
	case "ndjson", "sse":
		return e.writeFrames(ctx, out)
	case "asciicast", "har", "html", "player", "otlp", "trace", "atif":
		return e.writeConverted(ctx, out)
	}
	return e.writeTape(ctx, out)
}

// writeTape writes all sessions as one tape.
func (e *Export) writeTape(ctx context.Context, out *output.File) (string, error) {
	w, err := tapefile.NewWriter(out)
	if err != nil {
		return "", err
	}
	began := false
	start, done, total := time.Now(), atomic.Int64{}, int64(len(e.Sessions))
	p := console.ShowProgress(func() string {
		text := fmt.Sprintf("%s written", console.Count(out.Written(), "byte"))
		if total > 1 {
			text = fmt.Sprintf("%d of %d sessions, %s  %s", done.Load(), total, text, console.Part(done.Load(), total, start))
		}
		return text
	})
	defer p.End()
	tape := tapecopy.New(w, e.Server)
	tape.WithoutNotes = e.NoNotes
	for _, name := range e.Sessions {
		err := tape.Add(ctx, name)
		if e.All && gone(err) {
			fmt.Fprintf(console.To(e.Notes), "note     session %s is left out: %v\n", name, err)
			e.Gone++
			done.Add(1)
			continue
		}
		if err != nil {
			_, wrong := errors.AsType[commandline.Error](err)
			out.Keep = !wrong && (began || out.Written() > 1<<16)
			return "", fmt.Errorf("export %s: %w", name, err)
		}
		began = true
		done.Add(1)
	}
	if !began {
		return "", fmt.Errorf("none of the %s of the tenant has frames any more: no tape is written", console.Count(e.Gone, "session"))
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	bytes, frames := w.Written()
	return fmt.Sprintf("%s, %s", console.Count(frames, "frame"), console.Count(bytes, "byte")), nil
}

// gone reports whether the server has no frames of a session: they expired, or it was deleted.
// Nothing of such a session was copied.
func gone(err error) bool {
	refused, ok := errors.AsType[*apiclient.Error](err)
	return ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone)
}

// writeFrames writes the recorded frames in the format of a raw playback.
func (e *Export) writeFrames(ctx context.Context, out *output.File) (string, error) {
	p, err := play.OpenNoting(e.Notes, e.Sessions[0], e.Session, e.Server)
	if err != nil {
		return "", err
	}
	defer p.Close()
	if p.Session == "" {
		return "", commandline.Errorf("name a session: \"tapedeck sessions\" lists those there are")
	}
	accept := map[string]string{"ndjson": "application/x-ndjson", "sse": "text/event-stream"}[e.Format]
	body, err := p.Client.Open(ctx, http.MethodGet, apiclient.SessionPath(p.Session, "replay"),
		url.Values{"mode": {"raw"}, "speed": {"max"}}, accept)
	if err != nil {
		return "", p.Reason(err)
	}
	defer body.Close()
	n, err := io.Copy(out, body)
	if err != nil {
		err = p.Reason(err)
	}
	return console.Count(n, "byte"), err
}

// writeConverted writes a session in a format that needs more than the session's frames. Of a cut-off tape it would
// show a part as the whole, and the facts are missing, so such a tape is an error.
func (e *Export) writeConverted(ctx context.Context, out *output.File) (string, error) {
	if e.Session != "" && !play.IsTape(e.Sessions[0]) {
		return "", commandline.Errorf("--session goes with a tape file, and %q is none", e.Sessions[0])
	}
	f, done, err := tapecopy.Open(ctx, e.Sessions[0], e.Server)
	if err != nil {
		return "", err
	}
	defer done()
	if err := f.Break(); err != nil {
		return "", tapecopy.HintImport(e.Sessions[0], err)
	}
	id, err := play.OneSession(f, e.Sessions[0], e.Session)
	if err != nil {
		return "", err
	}
	t, err := f.Tape(ctx, "", id)
	if err != nil {
		return "", err
	}
	switch e.Format {
	case "html", "player":
		return e.writeHTML(ctx, out, f, id)
	case "otlp", "trace", "atif":
		return e.writeSpans(ctx, out, t, id)
	case "har":
		n, err := har.Write(ctx, out, t, e.Version)
		if err == nil && n == 0 {
			fmt.Fprintln(e.Notes, "note     the session holds no HTTP exchange: \"tapedeck proxy\" records such")
		}
		return console.Count(n, "exchange"), err
	}
	messages, err := tapecopy.Messages(f, id)
	if err != nil {
		return "", err
	}
	return console.Count(len(messages), "message"), asciicast.Write(ctx, out, t, tapecopy.Title(t, id), messages)
}

// writeHTML writes a session as one HTML file, or what it has of the session as JSON for player.js.
func (e *Export) writeHTML(ctx context.Context, out *output.File, f *tapefile.File, id string) (string, error) {
	r, err := sessionhtml.Read(ctx, f, id)
	if err != nil {
		return "", err
	}
	if e.Format == "player" {
		err = sessionhtml.WriteData(out, r)
	} else {
		err = sessionhtml.Write(out, r, e.Version)
	}
	if err != nil {
		return "", err
	}
	return console.Count(len(r.Frames), "frame") + ", " + console.Count(out.Written(), "byte"), nil
}
