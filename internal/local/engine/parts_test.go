package engine

import (
	"strings"
	"testing"
)

// Delays grow until the engine has run for healthyAfter.
func TestDelayAfter(t *testing.T) {
	delays := newDelays()
	for range 8 {
		delayAfter(healthyAfter-1, delays)
	}
	if delay := delayAfter(healthyAfter-1, delays); delay < longestDelay*8/10 {
		t.Errorf("after many short runs: %v", delay)
	}
	if delay := delayAfter(healthyAfter, delays); delay > shortestDelay*12/10 {
		t.Errorf("after a long run: %v", delay)
	}
}

func TestMemoryShare(t *testing.T) {
	const gib = 1 << 30
	for total, want := range map[uint64]uint64{
		0:         gib,
		2 * gib:   gib,
		16 * gib:  4 * gib,
		24 * gib:  6 * gib,
		512 * gib: 8 * gib,
	} {
		if got := memoryShare(total); got != want {
			t.Errorf("of %d: %d, want %d", total, got, want)
		}
	}
	if totalMemory() == 0 {
		t.Error("this machine's memory was not found")
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var log tail
	for range 3 {
		n, err := log.Write([]byte(strings.Repeat("x", tailSize-1) + "\n"))
		if n != tailSize || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
	}
	if len(log.text) != tailSize {
		t.Errorf("%d bytes kept", len(log.text))
	}
	log.Write([]byte("Logging warning to /x/engine.log\n\nEmpty query\nfirst\n  second \n"))
	if got := log.summary(); !strings.HasSuffix(got, "x | first | second") || !strings.HasPrefix(got, "…") || len(got) > 700 {
		t.Errorf("summary %q", got)
	}
	if !log.contains("second") || log.contains("third") {
		t.Error("contains is wrong")
	}
}

func TestFreePort(t *testing.T) {
	for range 50 {
		port, err := FreePort()
		if err != nil || port < firstPort || port > lastPort {
			t.Fatalf("port %d, %v", port, err)
		}
	}
}

func TestChildArgs(t *testing.T) {
	for _, want := range []childArgs{
		{program: Program{Library: "/a b/libchdb.so"}, dir: "/-dir", parent: 7, ephemeral: true},
		{program: Program{Binary: "/usr/bin/clickhouse"}, dir: "/d", parent: 1},
	} {
		list := want.list()
		got, err := parseChildArgs(list[1:])
		if err != nil || list[0] != childCommand || got != want {
			t.Errorf("%q returned %+v, %v", list, got, err)
		}
	}
	if _, err := parseChildArgs([]string{"-what"}); err == nil {
		t.Error("an unknown argument was taken")
	}
}
