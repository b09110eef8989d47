package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// checkTrusted returns an error if another user may replace the library that is installed below
// home, the folder engine beside the executable. A program in a folder such as /tmp must not load a
// file that another user put there. The library and all folders from home to the library must
// belong to this user, to root or to the owner of the executable. Only the owner and the group may
// have write access.
func checkTrusted(executable, home, library string) error {
	owners := []uint32{0, uint32(os.Getuid())}
	info, err := os.Stat(executable)
	if err != nil {
		return err
	}
	if owner, ok := ownerOf(info); ok {
		owners = append(owners, owner)
	}
	for path := library; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if owner, ok := ownerOf(info); ok && !slices.Contains(owners, owner) {
			return fmt.Errorf("not used, since %s belongs to another user (id %d)", path, owner)
		}
		if info.Mode().Perm()&0o002 != 0 {
			return fmt.Errorf("not used, since every user may write to %s", path)
		}
		if path == home {
			return nil
		}
	}
}

// ownerOf returns the id of the user to whom a file belongs.
func ownerOf(info os.FileInfo) (uint32, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return s.Uid, true
}
