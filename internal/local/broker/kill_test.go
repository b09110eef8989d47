package broker

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/bounded"
)

// publisherCommand makes the test binary run a broker and publish to it for
// ever, printing the sequence number of each acknowledgement.
const publisherCommand = "broker-publisher"

func publisherMain(dir string) int {
	if err := publish(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 1
}

func publish(dir string) error {
	s, err := Start(Options{Dir: dir})
	if err != nil {
		return err
	}
	connection, err := s.Connect()
	if err != nil {
		return err
	}
	js, err := jetstream.New(connection)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if _, err := js.CreateStream(ctx, frames); err != nil {
		return err
	}
	payload := make([]byte, 4096)
	for {
		ack, err := js.Publish(ctx, "frames.x", payload)
		if err != nil {
			return err
		}
		fmt.Println(ack.Sequence)
	}
}

func TestKillLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	process := exec.Command(os.Args[0], publisherCommand, dir)
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	must(t, err)
	must(t, process.Start())
	hung := time.AfterFunc(bounded.Limit, func() { process.Process.Kill() })
	defer hung.Stop()
	var acknowledged uint64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		// A line that the kill cut short would be a smaller number.
		var n uint64
		if _, err := fmt.Sscan(lines.Text(), &n); err == nil {
			acknowledged = max(acknowledged, n)
		}
		if n == 10 {
			time.AfterFunc(200*time.Millisecond, func() { process.Process.Kill() }) // while it publishes
		}
	}
	if err := bounded.Command(t, process); err == nil {
		t.Fatal("the publisher ended by itself")
	}
	if acknowledged < 10 {
		t.Fatalf("only %d messages were acknowledged", acknowledged)
	}

	_, js := connect(t, start(t, Options{Dir: dir}))
	stream, err := js.Stream(t.Context(), frames.Name)
	must(t, err)
	info, err := stream.Info(t.Context())
	must(t, err)
	t.Logf("%d acknowledged, %d there", acknowledged, info.State.Msgs)
	if info.State.LastSeq < acknowledged || info.State.Msgs != info.State.LastSeq {
		t.Errorf("%d acknowledged, but the stream has %d, up to %d", acknowledged, info.State.Msgs, info.State.LastSeq)
	}
	last, err := stream.GetMsg(t.Context(), acknowledged)
	must(t, err)
	if len(last.Data) != 4096 {
		t.Errorf("the last message has %d bytes", len(last.Data))
	}
}
