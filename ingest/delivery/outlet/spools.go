package outlet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tapedeck/ingest/delivery/spool"
)

// stateHome returns the directory in which commands store their state, below the XDG state home.
func stateHome() (string, error) {
	if home := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "tapedeck"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w: set HOME, or XDG_STATE_HOME to an absolute path", err)
	}
	return filepath.Join(home, ".local", "state", "tapedeck"), nil
}

// SpoolHome returns the directory below which recording commands store blocks that they could not
// send.
func SpoolHome() (string, error) {
	home, err := stateHome()
	if err != nil {
		return "", fmt.Errorf("find a directory for the spool: %w; or record with --no-spool", err)
	}
	return filepath.Join(home, "spool"), nil
}

// ForwardHome returns the directory in which "tapedeck forward" stores what it has sent.
func ForwardHome() (string, error) {
	home, err := stateHome()
	if err != nil {
		return "", fmt.Errorf("find a directory for the position: %w; or name a file with --state", err)
	}
	return filepath.Join(home, "forward"), nil
}

// FollowHome returns the directory in which "tapedeck record --follow" stores how far each file was
// recorded.
func FollowHome() (string, error) {
	home, err := stateHome()
	if err != nil {
		return "", fmt.Errorf("find a directory for the progress of followed files: %w", err)
	}
	return filepath.Join(home, "follow"), nil
}

// NATSHome returns the directory in which "tapedeck record --nats-stream" stores its positions.
func NATSHome() (string, error) {
	home, err := stateHome()
	if err != nil {
		return "", fmt.Errorf("find a directory for the progress of NATS streams: %w", err)
	}
	return filepath.Join(home, "nats"), nil
}

// SyncHome returns the directory in which "tapedeck sync" stores its progress.
func SyncHome() (string, error) {
	home, err := stateHome()
	if err != nil {
		return "", fmt.Errorf("find a directory for the progress of sync: %w", err)
	}
	return filepath.Join(home, "sync"), nil
}

// spoolSlots is the maximum number of concurrent recording commands.
const spoolSlots = 1000

// addSpool puts a spool before the publisher, in the first directory that no other process uses.
// Blocks that an earlier process left in the directory are sent as well.
func (o *Outlet) addSpool(opts Options) error {
	home, err := SpoolHome()
	if err != nil {
		return err
	}
	for i := range spoolSlots {
		s, err := spool.Open(spool.Options{Dir: filepath.Join(home, fmt.Sprint(i)), Next: o.publisher,
			Sync: opts.Sync, Limit: opts.SpoolLimit, Log: o.log})
		if errors.Is(err, spool.ErrInUse) {
			continue
		}
		if err != nil {
			return err
		}
		o.spool, o.publisher = s, s
		return nil
	}
	return fmt.Errorf("all %d spools in %s are in use by other recordings: end some of them", spoolSlots, home)
}

// WaitingSpools returns the directories of the recording commands' spools that are not empty,
// including spools that hold only refused blocks.
func WaitingSpools() ([]string, error) {
	home, err := SpoolHome()
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, name := range []string{"*.spool", "*.refused"} { // refused blocks are tried again
		files, err := filepath.Glob(filepath.Join(home, "*", name))
		if err != nil {
			return nil, fmt.Errorf("look for spools in %s: %w", home, err)
		}
		for _, f := range files {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}
