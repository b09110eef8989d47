package agenthistory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// walker visits the regular files below folders, each once. It follows links whose target is below
// one of the folders. A file or folder that is reached by several paths is visited by the first.
type walker struct {
	roots    []string // the folders, without links
	seen     map[fileID]bool
	problems []Problem
	// file is called for each regular file.
	file func(path string, info os.FileInfo)
	// enter reports whether a folder is to be searched.
	enter func(path string) bool
}

// depthLimit bounds the depth of folders.
const depthLimit = 64

// walk visits the files below a folder. A folder that does not exist is treated as empty.
func (w *walker) walk(dir string, depth int) {
	info, err := os.Stat(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.skip(dir, err)
		}
		return
	}
	if !info.IsDir() {
		w.visit(dir, info)
		return
	}
	if w.known(info) || depth > depthLimit || !w.enter(dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.skip(dir, err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch typ := e.Type(); {
		case typ.IsDir():
			w.walk(path, depth+1)
		case typ.IsRegular():
			if info, err := e.Info(); err == nil {
				w.visit(path, info)
			}
		case typ&fs.ModeSymlink != 0:
			w.follow(path, depth)
		}
	}
}

// errOutside is the reason why a link to a place outside of the folders is not followed.
var errOutside = errors.New("a link to a place outside of the searched folders; --from records what is there")

// follow visits the target of a link below one of the folders. It skips broken links and cycles.
func (w *walker) follow(path string, depth int) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case !w.inside(path):
		w.skip(path, errOutside)
	case info.IsDir():
		w.walk(path, depth+1)
	default:
		w.visit(path, info)
	}
}

// addRoot adds a folder to search.
func (w *walker) addRoot(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		w.roots = append(w.roots, real)
	}
}

// inside reports whether a link leads to a place below one of the folders.
func (w *walker) inside(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && slices.ContainsFunc(w.roots, func(root string) bool {
		below, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(below)
	})
}

// visit calls file for a regular file. It skips pipes, sockets and devices, since opening them may
// block.
func (w *walker) visit(path string, info os.FileInfo) {
	if info.Mode().IsRegular() && !w.known(info) {
		w.file(path, info)
	}
}

func (w *walker) known(info os.FileInfo) bool {
	id := fileIDOf(info)
	if id == (fileID{}) {
		return false
	}
	known := w.seen[id]
	w.seen[id] = true
	return known
}

func (w *walker) skip(path string, err error) {
	w.problems = append(w.problems, problem(path, err))
}

// reasonOf returns the message of a file system error without the path.
func reasonOf(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Op + ": " + failed.Err.Error()
	}
	return err.Error()
}

// names returns the sorted names in a folder, without links; none if the folder is a link or cannot
// be read.
func (w *walker) names(dir string) []string {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			w.skip(dir, errLink)
		}
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.skip(dir, err)
		return nil
	}
	list := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			w.skip(filepath.Join(dir, e.Name()), errLink)
			continue
		}
		list = append(list, e.Name())
	}
	slices.Sort(list)
	return list
}

// errLink is the reason why a link in OpenCode's storage is not followed.
var errLink = errors.New("a link, which OpenCode does not make in its storage")
