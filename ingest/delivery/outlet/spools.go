package outlet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tapedeck/ingest/delivery/jetstream"
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

// addSpool puts a spool before the publisher, in the first directory that no other process uses and
// that has no blocks for another target. Blocks that an earlier process left in the directory are
// sent as well; directories with such blocks come first.
func (o *Outlet) addSpool(opts Options) error {
	home, err := SpoolHome()
	if err != nil {
		return err
	}
	dirs, err := WaitingSpools()
	if err != nil {
		return err
	}
	for i := range spoolSlots {
		dirs = append(dirs, filepath.Join(home, fmt.Sprint(i)))
	}
	target := targetOf(&opts, o.Tenant())
	for _, dir := range dirs {
		s, err := spool.Open(spool.Options{Dir: dir, Target: &target, Next: o.publisher, Sync: opts.Sync, Limit: opts.SpoolLimit, Log: o.log})
		if _, other := errors.AsType[*spool.TargetError](err); other || errors.Is(err, spool.ErrInUse) {
			continue
		}
		if err != nil {
			return err
		}
		o.spool, o.publisher = s, s
		return nil
	}
	return fmt.Errorf("all %d spools in %s are in use by other recordings or hold blocks for other servers: end "+
		"some recordings, or send these blocks with \"tapedeck flush\"", spoolSlots, home)
}

// targetOf returns where the blocks of an outlet are to be sent. tenant is that of the sender, "" if it
// is unknown.
func targetOf(opts *Options, tenant string) spool.Target {
	if opts.NATS != "" {
		return spool.Target{Server: jetstream.RedactServers(opts.NATS)}
	}
	t := spool.Target{Server: addressOf(opts.Server), Tenant: tenant}
	if opts.Token != "" {
		t.Token = fmt.Sprintf("%x", sha256.Sum256([]byte(opts.Token)))
	}
	return t
}

// addressOf returns an address of a server in the form in which two of them are compared: without
// a password, without a slash at the end, and with one name for this machine.
func addressOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.User = nil
	u.Path = strings.TrimRight(u.Path, "/")
	if host := u.Hostname(); host == "localhost" || host == "::1" {
		u.Host = strings.TrimSuffix(net.JoinHostPort("127.0.0.1", u.Port()), ":")
	}
	return u.String()
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
