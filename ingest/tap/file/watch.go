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

// notifier reports that a file may have changed. It uses file system events where they are
// available, and always polls as well: there are no events from network file systems, nor for a
// directory that does not exist.
type notifier struct {
	path    string
	every   time.Duration
	log     *slog.Logger
	changed chan struct{}
	watcher *fsnotify.Watcher // nil if there are no events
	dirs    []string          // the watched directories
	names   sync.Map          // the relevant file names, in any of the directories
	ended   sync.WaitGroup
}

func newNotifier(path string, every time.Duration, log *slog.Logger) *notifier {
	w := &notifier{path: path, every: every, log: log, changed: make(chan struct{}, 1)}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("file: no events of the file system, polling the file", "path", path, "every", every, "error", err)
		return w
	}
	w.watcher = watcher
	w.ended.Go(w.listen)
	w.extend()
	return w
}

// extend watches the directories of the file and of its link targets. Directories that are
// missing or cannot be watched are polled.
func (w *notifier) extend() {
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

func (w *notifier) listen() {
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
			w.log.Debug("file: events of the file system were lost", "path", w.path, "error", err)
		}
		select {
		case w.changed <- struct{}{}:
		default: // a notification is pending
		}
	}
}

// wait returns true when the file may have changed, and false once ctx has ended.
func (w *notifier) wait(ctx context.Context) bool {
	timer := time.NewTimer(w.every)
	defer timer.Stop()
	select {
	case <-w.changed:
	case <-timer.C:
		w.extend()
	case <-ctx.Done():
		return false
	}
	return true
}

func (w *notifier) close() {
	if w.watcher != nil {
		_ = w.watcher.Close() // an error has no consequence
		w.ended.Wait()
	}
}
