package agenthistory

import (
	"bytes"
	"os"
	"testing"

	"tapedeck/schema"
)

// The frames of a file of lines are its bytes, end to end, whatever it holds; of a document with its
// messages no more than its bytes.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"", "{}\n", "{\"a\":1}\n{\"b\":2}", "[\n{\"a\":1},\n{\"b\":2}\n]\n", `{"messages":[{"a":1},{"b":[2]}],"end":1}`, "\n\n", "\r\n{}\r\n", "{", "\xff\n", "{\"a\":\"\\u0000\"}\n\x00",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, whole bool) {
		s := &Source{Size: int64(len(content)), kind: lines}
		if whole {
			s.kind = document
		}
		var all []byte
		c := newSplitter(s, 1<<10, func(f *schema.Frame) error {
			all = append(all, f.Raw...)
			return nil
		})
		if err := c.split(bytes.NewReader(content), func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		complete := len(all)
		if err := c.end(); err != nil {
			t.Fatal(err)
		}
		if !whole && (!bytes.HasPrefix(content, all) || int64(complete) != c.offset) || len(all) > len(content) {
			t.Errorf("%q is split into %q, of which %d are complete, and counted as %d", content, all, complete, c.offset)
		}
		if c.ended() && !whole && !bytes.Equal(all, content) {
			t.Errorf("%q is split into %q, though its last line is whole", content, all)
		}
	})
}

// A file of progress that somebody damaged is refused, or its entries are those of its streams and paths.
func FuzzProgress(f *testing.F) {
	const head = `{"version":1,"server":"s","tenant":"t"}` + "\n"
	for _, seed := range []string{"", head, head + "{}\n", head + `{"stream":"a","path":"p","lines":[[0,1]]}` + "\n", head + "{", "[]\n", "null\n" + head, "\xff"} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	path := newProgress(dir, "s", "t").path
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := ReadProgress(dir, "s", "t")
		if err != nil {
			return
		}
		for id, e := range p.streams {
			if e == nil || e.Stream != id {
				t.Errorf("%q: the entry of %q is %+v", text, id, e)
			}
		}
		for path, e := range p.paths {
			if e == nil || e.Path != path {
				t.Errorf("%q: the entry of the path %q is %+v", text, path, e)
			}
		}
	})
}
