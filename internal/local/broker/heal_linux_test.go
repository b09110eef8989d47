package broker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/bounded"
)

// TestHealsAfterAFullDisk: what was acknowledged before is there after, and
// messages are taken again, by the same connection, without a restart.
func TestHealsAfterAFullDisk(t *testing.T) {
	dir := t.TempDir()
	const size = 256 << 20
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		t.Skip("no right to mount a file system that can be filled:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	s, err := Start(Options{Dir: filepath.Join(dir, "nats"), MaxStore: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(context.Background())
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "FRAMES", Subjects: []string{"frames.>"}})
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	publish := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := js.Publish(ctx, "frames.a", make([]byte, 1<<20))
		if err == nil {
			acknowledged++
		}
		return err
	}
	for range 10 {
		if err := publish(bounded.Limit); err != nil {
			t.Fatal(err)
		}
	}
	filler := filepath.Join(dir, "filler")
	if err := fill(dir, filler); err != nil {
		t.Fatal(err)
	}
	for publish(500*time.Millisecond) == nil { // what room there was in the file
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(bounded.Limit); publish(500*time.Millisecond) != nil; {
		if time.Now().After(deadline) {
			t.Fatalf("there is room again, and nothing is taken: %+v", s.Health())
		}
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if int(info.State.Msgs) < acknowledged {
		t.Errorf("%d messages are there, %d were acknowledged", info.State.Msgs, acknowledged)
	}
	for range 10 {
		if err := publish(bounded.Limit); err != nil {
			t.Fatal(err)
		}
	}
}

// fill takes all room of a file system.
func fill(dir, filler string) error {
	f, err := os.Create(filler)
	if err != nil {
		return err
	}
	defer f.Close()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return err
	}
	return syscall.Fallocate(int(f.Fd()), 0, 0, int64(disk.Bavail)*disk.Bsize)
}
