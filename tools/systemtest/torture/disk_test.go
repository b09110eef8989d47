package torture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// disk is a small file system that can be filled up.
type disk struct {
	dir     string
	mounted bool
}

// newDisk mounts one of so many bytes on a new directory. Without the right to
// mount it is a plain directory, which cannot be filled.
func newDisk(dir string, size int64) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size))
	return &disk{dir, err == nil}, nil
}

func (d *disk) filler() string { return filepath.Join(d.dir, "filler") }

// fill takes all room but a little. Others write meanwhile, so it takes what it
// gets.
func (d *disk) fill(leave int64) error {
	if !d.mounted {
		return nil
	}
	f, err := os.Create(d.filler())
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for size := int64(0); ; {
		var st syscall.Statfs_t
		if err := syscall.Statfs(d.dir, &st); err != nil {
			return err
		}
		room := int64(st.Bavail)*st.Bsize - leave
		if room <= 0 {
			return nil
		}
		err := syscall.Fallocate(int(f.Fd()), 0, size, room)
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("fill %s: %w", d.dir, err)
		}
		if err == nil {
			size += room
		}
	}
}

// free returns the room back.
func (d *disk) free() { _ = os.Remove(d.filler()) } // it may not be there

func (d *disk) close() error {
	d.free()
	if !d.mounted {
		return nil
	}
	return syscall.Unmount(d.dir, syscall.MNT_DETACH)
}
