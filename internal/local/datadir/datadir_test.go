package datadir

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/bounded"
)

// holderCommand makes the test binary hold a directory until it is killed.
const holderCommand = "datadir-holder"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == holderCommand {
		os.Exit(hold(os.Args[2], os.Args[3]))
	}
	goleak.VerifyTestMain(m)
}

func hold(path, address string) int {
	d, err := Open(path)
	if err == nil {
		err = d.Announce(address)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("held")
	time.Sleep(time.Minute) // the test kills this process before
	return 1
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// startHolder has another process hold the directory.
func startHolder(t *testing.T, path, address string) *exec.Cmd {
	t.Helper()
	holder := exec.Command(os.Args[0], holderCommand, path, address)
	holder.Stderr = os.Stderr
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	t.Cleanup(func() {
		holder.Process.Kill()
		bounded.Command(t, holder)
	})
	if line := bounded.Line(t, holder, bufio.NewReader(out)); line != "held" {
		t.Fatalf("the holder says %q", line)
	}
	return holder
}

func TestSecondHolderIsToldWhoTheFirstIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	before := time.Now().Add(-time.Second)
	holder := startHolder(t, path, "http://127.0.0.1:4600")

	_, err := Open(path)
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("the second holder got %v", err)
	}
	if held.Holder.PID != holder.Process.Pid || held.Holder.Started.Before(before) || held.Holder.Started.After(time.Now()) {
		t.Errorf("the holder is given as %+v", held.Holder)
	}
	for _, part := range []string{path, fmt.Sprint("process ", holder.Process.Pid), "since 20", "at http://127.0.0.1:4600", "--data"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if who, err := Running(path); err != nil || who != held.Holder {
		t.Errorf("running: %+v, %v", who, err)
	}

	// Killed, it leaves its note and the lock file, but not the lock.
	must(t, holder.Process.Kill())
	bounded.Command(t, holder)
	if _, err := os.Stat(filepath.Join(path, runtimeFile)); err != nil {
		t.Fatal(err)
	}
	if who, err := Running(path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after the kill: %+v, %v", who, err)
	}
	d, err := Open(path)
	must(t, err)
	if who, err := Running(path); err != nil || who.PID != os.Getpid() || who.Address != "" {
		t.Errorf("running: %+v, %v", who, err)
	}
	must(t, d.Close())
}

func TestCloseLeavesNoNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	if _, err := Running(path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("no directory: %v", err)
	}
	for range 2 {
		d, err := Open(path)
		must(t, err)
		if d.Path() != path || d.Sub("x") != filepath.Join(path, "x") {
			t.Errorf("paths %s, %s", d.Path(), d.Sub("x"))
		}
		must(t, d.Announce("http://127.0.0.1:1"))
		must(t, d.Close())
		if _, err := os.Stat(filepath.Join(path, runtimeFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the note is still there: %v", err)
		}
		if _, err := Running(path); !errors.Is(err, ErrNotRunning) {
			t.Errorf("closed: %v", err)
		}
	}
}

func TestDirectoryIsTheOwnersAlone(t *testing.T) {
	path := t.TempDir()
	must(t, os.Chmod(path, 0o755))
	d, err := Open(path)
	must(t, err)
	defer d.Close()
	for name, want := range map[string]fs.FileMode{".": 0o700, lockFile: 0o600, runtimeFile: 0o600} {
		info, err := os.Stat(filepath.Join(path, name))
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v", name, info.Mode())
		}
	}
}

func TestOnlookersDoNotHinderAHolder(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path)
	must(t, err)
	must(t, d.Close())
	stop := make(chan struct{})
	var onlookers sync.WaitGroup
	for range 4 {
		onlookers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					Running(path)
					time.Sleep(time.Millisecond) // leaves the processor to the others
				}
			}
		})
	}
	for range 20 {
		d, err := Open(path)
		if err != nil {
			t.Error(err)
			break
		}
		must(t, d.Close())
	}
	close(stop)
	bounded.Wait(t, onlookers.Wait)
}

func TestHolderWithoutANote(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path)
	must(t, err)
	defer d.Close()
	must(t, os.Remove(d.Sub(runtimeFile)))
	_, err = Open(path)
	var held *HeldError
	if !errors.As(err, &held) || held.Holder.PID != 0 || !strings.Contains(err.Error(), "try again") {
		t.Errorf("got %v", err)
	}
}

func TestDefault(t *testing.T) {
	for _, c := range []struct{ xdg, home, want string }{
		{"/xdg", "/home/a", "/xdg/tapedeck"},
		{"", "/home/a", "/home/a/.local/share/tapedeck"},
		{"relative", "/home/a", "/home/a/.local/share/tapedeck"},
	} {
		t.Setenv("XDG_DATA_HOME", c.xdg)
		t.Setenv("HOME", c.home)
		if got, err := Default(); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	if got, err := Default(); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("without a home: %s, %v", got, err)
	}
}
