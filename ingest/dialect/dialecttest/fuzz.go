package dialecttest

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Fuzz decodes arbitrary input. Its corpus begins with the cases of a directory. No input may
// cause a panic, break the rules of Play, or have other facts when it is cut into blocks.
//
// The first byte of an input is the transport. Each line of the rest is a frame: sent if it begins
// with '>', an HTTP head if "^" follows, an HTTP body if "@" follows, and in an SSE stream "event
// id data".
func Fuzz(f *testing.F, d dialect.Dialect, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		script, err := Parse(archive)
		if err != nil {
			f.Fatalf("%s: %v", file, err)
		}
		f.Add(pack(script))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		frames := unpack(input)
		if len(frames) == 0 {
			return
		}
		end := frames[len(frames)-1].At + 1e6
		whole := outcome(t, d, frames, end, never)
		alike(t, "the same once more", whole, outcome(t, d, frames, end, never))
		alike(t, "cut after every frame", whole, outcome(t, d, frames, end, always))
	})
}

func outcome(t testing.TB, d dialect.Dialect, frames []schema.Frame, end int64, cut func(int) (bool, bool)) *Outcome {
	t.Helper()
	o, err := Play(d, frames, end, cut)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// alike compares outcomes, and renders them only if they differ, as that is slow.
func alike(t testing.TB, how string, want, got *Outcome) {
	t.Helper()
	if !reflect.DeepEqual(want.Facts, got.Facts) || !reflect.DeepEqual(want.Frames, got.Frames) ||
		!slices.Equal(want.Lost, got.Lost) || !slices.Equal(want.Titles, got.Titles) ||
		!reflect.DeepEqual(want.Limits, got.Limits) {
		same(t, how, render(want, nil), render(got, nil))
		t.Errorf("%s: the outcomes differ", how)
	}
}

// pack returns a script as an input.
func pack(s *Script) []byte {
	out := []byte{'0' + byte(s.Transport)}
	for i := range s.Frames {
		content, _ := schema.Unframe(&s.Frames[i], nil)
		out = append(out, '\n')
		if s.Frames[i].Direction == schema.Send {
			out = append(out, '>')
		}
		switch f := &s.Frames[i]; {
		case f.Transport == schema.HTTP && f.Flags.Has(schema.FlagNote):
			lines := strings.TrimSuffix(string(f.Raw), "\r\n\r\n")
			out = append(out, "^"+strings.ReplaceAll(lines, "\r\n", "|")...)
			continue
		case f.Transport == schema.HTTP && s.Transport != schema.HTTP:
			out = append(out, '@')
		case s.Transport == schema.SSE:
			out = append(out, content.Event+"|"+content.ID+"|"...)
		}
		out = append(out, bytes.ReplaceAll(content.Data, []byte("\n"), nil)...)
	}
	return out
}

// unpack reads an input. Every third frame is 400 ms after the previous one, the others 1 ms.
func unpack(input []byte) []schema.Frame {
	if len(input) == 0 {
		return nil
	}
	transport := schema.Transport(input[0]-'0') % (schema.HTTP + 1)
	var frames []schema.Frame
	at := Start
	for i, line := range strings.Split(string(input[1:]), "\n") {
		if i == 0 && line == "" {
			continue
		}
		at += 1e6
		if i%3 == 0 {
			at += 399e6
		}
		f := schema.Frame{Seq: uint64(len(frames)), At: at, Transport: transport}
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			f.Direction, line = schema.Send, rest
		}
		if rest, ok := strings.CutPrefix(line, "^"); ok {
			f.Transport, f.Flags, f.Raw = schema.HTTP, schema.FlagNote, head(rest)
			frames = append(frames, f)
			continue
		}
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			f.Transport, line = schema.HTTP, rest
		}
		var event, id string
		if f.Transport == schema.SSE {
			if parts := strings.SplitN(line, "|", 3); len(parts) == 3 {
				event, id, line = parts[0], parts[1], parts[2]
			}
		}
		f.Raw = wire(f.Transport, event, id, line)
		frames = append(frames, f)
	}
	return frames
}
