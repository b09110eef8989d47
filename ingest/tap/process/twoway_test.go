package process_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/process"
	"tapedeck/internal/bounded"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

// echoing answers each line with a line that holds it.
const echoing = `while read -r line; do printf '{"echo":%s}\n' "$line"; done; `

// conversation runs a command between pipes, as a client does.
func conversation(t *testing.T, m *ingesttest.Memory, command []string, speak func(to *os.File, from *bufio.Reader)) process.Result {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, f := range []*os.File{in, to, from, out} {
			f.Close()
		}
	})
	var result process.Result
	done := make(chan error, 1)
	go func() {
		var err error
		result, err = record(t, m, process.Options{Command: command, Stdin: in, Stdout: out, TwoWay: true})
		out.Close()
		done <- err
	}()
	speak(to, bufio.NewReader(from))
	if err := bounded.Receive(t, done); err != nil {
		t.Error(err)
	}
	return result
}

// TestTwoWay: each direction has its bytes, a message precedes its answer, and the end of the input
// reaches the command.
func TestTwoWay(t *testing.T) {
	var m ingesttest.Memory
	var sent, received strings.Builder
	result := conversation(t, &m, shell(echoing+"exit 4"), func(to *os.File, from *bufio.Reader) {
		for id := range 3 {
			message := fmt.Sprintf("{\"id\":%d}\n", id)
			sent.WriteString(message)
			if _, err := to.WriteString(message); err != nil {
				t.Error(err)
			}
			line, err := from.ReadString('\n')
			if want := fmt.Sprintf("{\"echo\":{\"id\":%d}}\n", id); err != nil || line != want {
				t.Errorf("the answer is %q, %v, want %q", line, err, want)
			}
			received.WriteString(line)
		}
		to.Close()
	})
	if result.ExitCode != 4 || result.Frames != 6 || result.Output != int64(received.Len()) || result.Recorded != result.Output {
		t.Errorf("%+v", result)
	}
	for way, want := range map[schema.Direction]string{schema.Send: sent.String(), schema.Receive: received.String()} {
		if got := string(m.Raw(result.StreamID, way)); got != want {
			t.Errorf("%v: recorded %q, want %q", way, got, want)
		}
	}
	frames := m.Frames(result.StreamID)
	for i, f := range frames {
		if want := []schema.Direction{schema.Send, schema.Receive}[i%2]; f.Direction != want {
			t.Errorf("frame %d is %v, want %v", i, f.Direction, want)
		}
		if i > 0 && f.At < frames[i-1].At {
			t.Errorf("frame %d is %v before the one before", i, time.Duration(frames[i-1].At-f.At))
		}
	}
}

// TestTwoWayEnds: a command that ends, or closes its input, ends the recording while the client's
// input is open.
func TestTwoWayEnds(t *testing.T) {
	for name, command := range map[string][]string{
		"ends":             shell(`printf '{"bye":1}\n'`),
		"closes its input": shell(`exec <&-; sleep 0.1; printf '{"bye":1}\n'`),
	} {
		t.Run(name, func(t *testing.T) {
			var m ingesttest.Memory
			result := conversation(t, &m, command, func(to *os.File, from *bufio.Reader) {
				_, _ = to.WriteString("{\"hello\":1}\n") // it may have ended
				rest, err := io.ReadAll(from)
				if err != nil || string(rest) != "{\"bye\":1}\n" {
					t.Errorf("%q, %v", rest, err)
				}
				to.Close()
			})
			if got := string(m.Raw(result.StreamID, schema.Receive)); result.ExitCode != 0 || got != "{\"bye\":1}\n" {
				t.Errorf("%+v, recorded %q", result, got)
			}
		})
	}
}

// TestTwoWayBytes: long lines of both directions at once, and lines without an end, keep their bytes.
func TestTwoWayBytes(t *testing.T) {
	var m ingesttest.Memory
	long := append(bytes.Repeat([]byte("\xff{x"), 6<<20), '\n') // 18 MiB, more than the largest frame
	input := slices.Concat(long, []byte("{\"id\":1}\nno end"))
	result := conversation(t, &m, shell("cat"), func(to *os.File, from *bufio.Reader) {
		go func() {
			_, _ = to.Write(input) // an error shows in what is read
			to.Close()
		}()
		got, err := io.ReadAll(from)
		if err != nil || !bytes.Equal(got, input) {
			t.Errorf("forwarded %d bytes, want %d, %v", len(got), len(input), err)
		}
	})
	for _, way := range []schema.Direction{schema.Send, schema.Receive} {
		if got := m.Raw(result.StreamID, way); !bytes.Equal(got, input) {
			t.Errorf("%v: recorded %d bytes, want %d", way, len(got), len(input))
		}
	}
}

// TestTwoWayDelay compares round trips through the tap with those to the command itself.
func TestTwoWayDelay(t *testing.T) {
	const trips = 2000
	times := func(to io.Writer, from *bufio.Reader) []time.Duration {
		took := make([]time.Duration, trips)
		for i := range took {
			began := time.Now()
			if _, err := io.WriteString(to, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := from.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		return took
	}
	var direct, tapped []time.Duration
	cmd := exec.Command("cat")
	to, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	direct = times(to, bufio.NewReader(from))
	to.Close()
	if err := bounded.Command(t, cmd); err != nil {
		t.Error(err)
	}
	var m ingesttest.Memory
	conversation(t, &m, []string{"cat"}, func(to *os.File, from *bufio.Reader) {
		tapped = times(to, from)
		to.Close()
	})
	p50, p99 := tapped[trips/2]-direct[trips/2], tapped[trips*99/100]-direct[trips*99/100]
	t.Logf("a round trip takes %v more at p50, %v more at p99", p50, p99)
	speedtest.Within(t, "what the tap adds to 99 of 100 round trips", p99, time.Millisecond)
}
