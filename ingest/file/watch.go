package file

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch tells when a file may have changed. It goes by notices of the file
// system where there are any, and by the clock in any case: notices do not come
// from network file systems, and none comes for a directory that does not exist.
type watch struct {
	path    string
	every   time.Duration
	log     *slog.Logger
	poke    chan struct{}
	watcher *fsnotify.Watcher // nil where there is none
	dirs    []string          // those that are watched
	names   sync.Map          // the names, in any of the directories, that matter
	ended   sync.WaitGroup
}

func newWatch(path string, every time.Duration, log *slog.Logger) *watch {
	w := &watch{path: path, every: every, log: log, poke: make(chan struct{}, 1)}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("the file is looked at by the clock alone", "path", path, "every", every, "reason", err)
		return w
	}
	w.watcher = watcher
	w.ended.Go(w.listen)
	w.extend()
	return w
}

// extend watches the directories of the file and of what it is a link to. That
// a directory is missing, or cannot be watched, leaves the clock.
func (w *watch) extend() {
	if w.watcher == nil {
		return
	}
	paths := []string{w.path}
	if target, err := filepath.EvalSymlinks(w.path); err == nil && target != w.path {
		paths = append(paths, target)
	}
	for _, path := range paths {
		w.names.Store(path, true)
		dir := filepath.Dir(path)
		if slices.Contains(w.dirs, dir) {
			continue
		}
		if err := w.watcher.Add(dir); err == nil {
			w.dirs = append(w.dirs, dir)
		}
	}
}

func (w *watch) listen() {
	for {
		select {
		case event, ok := <-w.watcher.Events:
			if !ok {
				return
			}
			if _, ours := w.names.Load(event.Name); !ours {
				continue
			}
		case err, ok := <-w.watcher.Errors:
			if !ok {
				return
			}
			w.log.Debug("notices of the file system were lost", "path", w.path, "reason", err)
		}
		select {
		case w.poke <- struct{}{}:
		default: // the one before was not looked at so far
		}
	}
}

// wait returns when the file may have changed; false once ctx has ended.
func (w *watch) wait(ctx context.Context) bool {
	timer := time.NewTimer(w.every)
	defer timer.Stop()
	select {
	case <-w.poke:
	case <-timer.C:
		w.extend()
	case <-ctx.Done():
		return false
	}
	return true
}

func (w *watch) close() {
	if w.watcher != nil {
		_ = w.watcher.Close() // nothing to lose
		w.ended.Wait()
	}
}
