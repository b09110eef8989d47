package agenthistory

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// polled runs a poll of --watch.
func (m *machine) polled(y *Syncer) *Result {
	m.t.Helper()
	res, err := y.poll(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return res
}

// add appends to a file.
func (m *machine) add(path, text string) {
	m.t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// A last line that is complete and not terminated is recorded when the stream ends, also if the
// process is killed before, and is the same frame once it is terminated.
func TestWatchLastLine(t *testing.T) {
	for name, end := range map[string]func(*machine, *Syncer){
		"the watch ends": func(m *machine, y *Syncer) { y.endAll(m.t.Context()) },
		"the file is idle": func(m *machine, y *Syncer) {
			for _, r := range y.live {
				r.grew = time.Now().Add(-liveFor)
			}
			m.polled(y)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			second := strings.TrimSuffix(said(1, 2), "\n")
			path := m.write("p/"+session(1)+".jsonl", said(1, 1)+second)
			y := m.syncer()
			if res := m.polled(y); res.Recorded != 1 || res.Frames != 1 {
				t.Errorf("first poll: %+v", res)
			}
			if res := m.polled(y); res.Recorded != 0 {
				t.Errorf("second poll: %+v", res)
			}
			found, err := Find([]string{path})
			if err != nil {
				t.Fatal(err)
			}
			killed, err := ReadProgress(m.dir+"/state", "server", "default")
			if err != nil {
				t.Fatal(err)
			}
			if killed.Plan(found); found.Sources[0].State != StateGrown {
				t.Errorf("after a kill the file is %s", found.Sources[0].State)
			}
			end(m, y)
			if len(y.live) != 0 || m.stored.output() != 2 || string(m.stored.raw(t)) != said(1, 1)+second {
				t.Errorf("%d open streams, %d tokens, %q", len(y.live), m.stored.output(), m.stored.raw(t))
			}
			if res := m.sync(); res.Recorded != 0 || res.States[StateStored] != 1 {
				t.Errorf("the next run: %+v", res)
			}
			m.add(path, "\n"+said(1, 3))
			if res := m.sync(); res.Frames != 2 || m.stored.output() != 3 {
				t.Errorf("after the line was terminated: %+v, %d tokens", res, m.stored.output())
			}
			if got := string(m.stored.raw(t)); got != said(1, 1)+said(1, 2)+said(1, 3) {
				t.Errorf("the stream is %q", got)
			}
		})
	}
}

// A file that is rewritten in place between two polls, and is longer than before, becomes another
// stream. A file to which lines are added goes on in its stream.
func TestWatchRewritten(t *testing.T) {
	m := newMachine(t)
	path := m.write("p/"+session(1)+".jsonl", said(1, 1))
	y := m.syncer()
	m.polled(y)
	m.add(path, said(1, 2)+said(1, 3)[:100])
	m.polled(y)
	m.add(path, said(1, 3)[100:])
	if m.polled(y); string(m.stored.raw(t)) != said(1, 1)+said(1, 2)+said(1, 3) {
		t.Errorf("the stream is %q", m.stored.raw(t))
	}
	rewritten := said(1, 4) + said(1, 5) + said(1, 6) + said(1, 7)
	if err := os.WriteFile(path, []byte(rewritten), 0o600); err != nil { // keeps the inode
		t.Fatal(err)
	}
	m.polled(y)
	y.endAll(t.Context())
	var lengths []int
	for _, frames := range m.stored.frames {
		lengths = append(lengths, len(frames))
	}
	if slices.Sort(lengths); !slices.Equal(lengths, []int{3, 4}) || m.stored.output() != 7 {
		t.Errorf("streams of %v frames, %d tokens", lengths, m.stored.output())
	}
	if res := m.sync(); res.Recorded != 0 || res.States[StateStored] != 1 {
		t.Errorf("the next run: %+v", res)
	}
}

// The last bytes that were read are kept across reads of any length.
func TestSplitterRemembers(t *testing.T) {
	text := strings.Repeat("0123456789abcdef-", 4*lastSize/17)
	for _, step := range []int{1, 1000, lastSize - 1, lastSize, lastSize + 1, len(text)} {
		var c splitter
		for part := range slices.Chunk([]byte(text), step) {
			c.remember(part)
		}
		if c.position != int64(len(text)) || string(c.last) != text[len(text)-lastSize:] {
			t.Errorf("reads of %d bytes: position %d, %d bytes", step, c.position, len(c.last))
		}
		other := text[:len(text)-10] + "x" + text[len(text)-9:]
		for content, want := range map[string]bool{text: true, text + "more": true, text[1:]: false, other: false, "": false} {
			if got := c.isPartOf(strings.NewReader(content)); got != want {
				t.Errorf("reads of %d bytes, content of %d: %v", step, len(content), got)
			}
		}
	}
}
