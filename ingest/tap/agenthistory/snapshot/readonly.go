package snapshot

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// readOnly is SQLite's access to files without the operations that change them: files are opened
// for reading and none is created. The index of a log is the exception, since it contains the
// locks.
type readOnly struct{ vfs.VFSFilename }

// Names of readOnly in the library, and of the parameter with the path of a temporary index.
const (
	readOnlyName = "tapedeck-read-only"
	indexName    = "index"
)

// register registers readOnly with the library, once.
var register = sync.OnceFunc(func() {
	vfs.Register(readOnlyName, readOnly{vfs.Find("os").(vfs.VFSFilename)})
})

// OpenFilename implements vfs.VFSFilename.
func (r readOnly) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	flags = flags&^(vfs.OPEN_READWRITE|vfs.OPEN_CREATE|vfs.OPEN_DELETEONCLOSE) | vfs.OPEN_READONLY
	f, flags, err := r.VFSFilename.OpenFilename(name, flags)
	if err != nil || flags&vfs.OPEN_MAIN_DB == 0 {
		return f, flags, err
	}
	if path := name.URIParameter(indexName); path != "" {
		f = &indexed{f, vfs.NewSharedMemory(path, flags)}
	}
	return f, flags, nil
}

// Delete implements vfs.VFS.
func (readOnly) Delete(string, bool) error { return sqlite3.READONLY }

// indexed is a database whose log has a temporary index.
type indexed struct {
	vfs.File
	index vfs.SharedMemory
}

// SharedMemory implements vfs.FileSharedMemory.
func (f *indexed) SharedMemory() vfs.SharedMemory { return f.index }

// Close implements io.Closer.
func (f *indexed) Close() error {
	f.index.Close() // it may not have been opened
	return f.File.Close()
}

// makeIndex creates a folder for a temporary index, and returns the path of the index.
func makeIndex() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "tapedeck-sync-*")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "index"), func() { os.RemoveAll(dir) }, nil
}
