package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// recordEndings are the suffixes of the files in a folder that are recorded. A file that an
// argument names directly may have any suffix.
var recordEndings = []string{".jsonl", ".ndjson", ".json", ".sse", ".sse.txt", ".chunks.txt"}

// filesLimit bounds the number of files of one command.
const filesLimit = 100_000

// Source is one file to record, or the error for an argument that matches none.
type Source struct {
	Path string
	Err  error
}

// Sources are the files that a command names, without duplicates.
type Sources struct {
	List    []Source
	Several bool            // false for just one file that an argument names directly
	LeftOut int             // files of folders with other suffixes
	NoFiles int             // entries of folders that are links to folders, broken links or special files
	seen    map[string]bool // by the path without links: in List
	passed  map[string]*int // by the same path: the counter of a skipped entry (LeftOut or NoFiles), nil after an error
}

// Expand returns the files that arguments name: files, folders with all files below them, and
// patterns, which the shell does not expand if they are quoted or match nothing. Links to files are
// followed. Links to folders below a folder are not, which avoids loops.
func Expand(args []string) (*Sources, error) {
	s := &Sources{Several: len(args) > 1, seen: map[string]bool{}, passed: map[string]*int{}}
	for _, arg := range args {
		if err := s.argument(arg); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Sources) argument(arg string) error {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		s.Several = true
		return s.folder(arg)
	case err == nil || !strings.ContainsAny(arg, "*?["):
		return s.add(arg) // opening it reports a missing file
	}
	s.Several = true
	if strings.Contains(arg, "**") {
		return commandline.Errorf("%s: ** is not supported; name the folder, and everything below it is recorded", arg)
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return commandline.Errorf("%s: invalid pattern: %v", arg, err)
	}
	if len(matches) == 0 {
		s.List = append(s.List, Source{arg, fmt.Errorf("%s: no file matches this pattern", arg)})
	}
	for _, path := range matches {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			err = s.folder(path)
			if err != nil {
				return err
			}
		} else if err := s.add(path); err != nil {
			return err
		}
	}
	return nil
}

// folder adds the files below a folder, in the order of their names. Hidden folders
// are skipped.
func (s *Sources) folder(root string) error {
	recorded := false // some file of the folder is in the list, or could not be looked at
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		path = filepath.Clean(path)
		switch {
		case err != nil:
			s.fail(path, err)
			recorded = true
			return nil
		case entry.IsDir():
			if name := entry.Name(); path != filepath.Clean(root) && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // follows links
		switch {
		case err != nil || !info.Mode().IsRegular():
			s.pass(path, &s.NoFiles)
			return nil
		case !recordable(path) && !s.seen[realPath(path)]:
			s.pass(path, &s.LeftOut)
			return nil
		}
		recorded = true
		return s.add(path)
	})
	if err == nil && !recorded {
		s.fail(root, fmt.Errorf("%s: no file in this folder has a name that ends in %s", root, strings.Join(recordEndings, ", ")))
	}
	return err
}

func recordable(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc(recordEndings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// pass counts an entry of a folder that is not recorded, unless it was counted before or an
// argument names it.
func (s *Sources) pass(path string, count *int) {
	real := realPath(path)
	if _, again := s.passed[real]; !again && !s.seen[real] {
		s.passed[real] = count
		*count++
	}
}

// fail adds an error for a folder or an entry of one, once.
func (s *Sources) fail(path string, err error) {
	real := realPath(path)
	if _, again := s.passed[real]; !again {
		s.passed[real] = nil
		s.List = append(s.List, Source{path, err})
	}
}

// add adds a file, unless an earlier argument named the same file, even by another path.
func (s *Sources) add(path string) error {
	real := realPath(path)
	if s.seen[real] {
		return nil
	}
	if len(s.List) >= filesLimit {
		return commandline.Errorf("there are more than %s files: record them by folder", console.Thousands(filesLimit))
	}
	if count := s.passed[real]; count != nil { // an argument names a file that was left out of a folder
		*count--
		delete(s.passed, real)
	}
	s.seen[real] = true
	s.List = append(s.List, Source{Path: path})
	return nil
}

// realPath returns the absolute path of a file without links, and the path itself if there is no
// such file.
func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return path
	}
	return real
}
