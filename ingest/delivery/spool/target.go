package spool

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// Target is where the blocks of a spool are to be sent.
type Target struct {
	Server string `json:"server"` // address, without passwords
	Tenant string `json:"tenant"` // tenant of the sender; "" if it is unknown, or if there are several
	Token  string `json:"token"`  // hash of the sender's token; "" without one
}

// is reports whether blocks for t may be sent to another target: it is the same server, and the
// sender has the same tenant, or the same token if a tenant is unknown.
func (t Target) is(other Target) bool {
	return t.Server == other.Server && (t.Token == other.Token || t.Tenant != "" && t.Tenant == other.Tenant)
}

// TargetError is returned for a directory with blocks for another target.
type TargetError struct {
	Dir   string
	Holds Target // of the blocks
	Asked Target
}

func (e *TargetError) Error() string {
	if e.Holds.Server == e.Asked.Server {
		return fmt.Sprintf("spool %s holds blocks that were recorded for %s with another token", e.Dir, e.Holds.Server)
	}
	return fmt.Sprintf("spool %s holds blocks for %s", e.Dir, e.Holds.Server)
}

// targetName is the file with the target of a spool's blocks.
const targetName = "target"

// checkTarget returns a TargetError if a directory has blocks for another target. If it has none, or
// their target is not known, the directory gets the target. A disk without room for it is no error:
// the blocks of a recording can go straight to the server. The caller holds the lock.
func checkTarget(dir string, target Target, log *slog.Logger) error {
	if holds := TargetOf(dir); holds != nil {
		waiting, err := Look(dir)
		if err != nil {
			return err
		}
		if waiting.Blocks > 0 {
			if !holds.is(target) {
				return &TargetError{dir, *holds, target}
			}
			return nil
		}
	}
	text, err := json.Marshal(target)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, targetName), text, 0o600); err != nil {
		log.Warn("spool: the server that its blocks are for was not noted", "dir", dir, "error", err)
	}
	return nil
}

// TargetOf returns the target of the blocks in a spool directory; nil if it is not known,
// as that of spools of earlier versions.
func TargetOf(dir string) *Target {
	var t Target
	text, err := os.ReadFile(filepath.Join(dir, targetName))
	if err != nil || json.Unmarshal(text, &t) != nil {
		return nil
	}
	return &t
}
