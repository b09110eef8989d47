package callcount

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	blocks "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/loopback"
)

// covered are the packages whose calls are counted. The program writes its counters only if its own
// package is among them.
const covered = "tapedeck/ingest,tapedeck/ingest/delivery/...,tapedeck/ingest/tap/copier,tapedeck/internal/inflight,tapedeck/cmd/tapedeck"

// build builds the program so that it counts calls.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "tapedeck")
	cmd := exec.Command("go", "build", "-trimpath", "-cover", "-covermode=atomic", "-coverpkg="+covered,
		"-ldflags=-w", "-o", program, "./cmd/tapedeck")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build -cover: %v\n%s", err, out)
	}
	return program
}

// recorded is coverage data of a recording.
type recorded struct{ command, server string } // folders

// record records lines with a command and a server, each line in a block of its own: a line is written
// once JetStream has the block of the line before.
func record(t *testing.T, program string, lines int) recorded {
	t.Helper()
	data := recorded{t.TempDir(), t.TempDir()}
	nats := localtest.Broker(t, broker.Options{Listen: "127.0.0.1:0"})
	connection, err := nats.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	js, err := jetstream.New(connection)
	if err != nil {
		t.Fatal(err)
	}

	address := loopback.Free(t)
	server := start(t, data.server, nil, program, "serve", "--role=ingest", "--nats="+nats.URL(), "--listen="+address, "--data="+t.TempDir())
	awaitReady(t, "http://"+address+"/readyz")
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	command := start(t, data.command, in, program, "record", "--server=http://"+address, "--session=counted", "--dialect=generic", "--", "cat")
	for i := range lines {
		if _, err := fmt.Fprintf(feed, "{\"line\":%d}\n", i); err != nil {
			t.Fatal(err)
		}
		awaitBlocks(t, js, uint64(i+1))
	}
	in.Close()
	feed.Close()
	command.wait(t)
	if err = server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	server.wait(t)
	return data
}

// process is a running program.
type process struct {
	*exec.Cmd
	output bytes.Buffer
	done   chan struct{} // closed once it has ended
	err    error         // set before done is closed
}

func start(t *testing.T, data string, in *os.File, program string, args ...string) *process {
	t.Helper()
	home := t.TempDir()
	p := &process{Cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.Dir, p.Stdout, p.Stderr = home, &p.output, &p.output
	if in != nil {
		p.Stdin = in
	}
	p.Env = append(os.Environ(), "GOCOVERDIR="+data, "HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill() // it may have ended
		<-p.done
		if t.Failed() {
			t.Logf("%v:\n%s", args, p.output.Bytes())
		}
	})
	return p
}

// wait waits for the end of a process that is to succeed.
func (p *process) wait(t *testing.T) {
	t.Helper()
	bounded.Receive(t, p.done)
	if p.err != nil {
		t.Fatal(p.err)
	}
}

// awaitReady waits until a server answers that it takes blocks.
func awaitReady(t *testing.T, url string) {
	t.Helper()
	bounded.Until(t, "the server is ready", func() bool {
		resp, err := http.Get(url)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// awaitBlocks waits until JetStream has so many messages of blocks.
func awaitBlocks(t *testing.T, js jetstream.JetStream, n uint64) {
	t.Helper()
	bounded.Until(t, fmt.Sprintf("JetStream has %d blocks", n), func() bool {
		stream, err := js.Stream(t.Context(), blocks.StreamName)
		return err == nil && stream.CachedInfo().State.LastSeq >= n
	})
}
