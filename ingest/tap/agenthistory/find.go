package agenthistory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Found holds the sources that Find found, and the paths that it skipped.
type Found struct {
	Sources  []*Source
	Problems []Problem
}

// Find searches folders for sessions of coding agents: dirs, or the folders of the agents of
// this machine if there are none. In an agent's folder every file belongs to that agent; in
// dirs the name and the content of a file decide. A missing folder is not an error.
func Find(dirs []string) (*Found, error) {
	list := make([]place, 0, len(dirs))
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("search %s for sessions: %s", dir, reasonOf(err))
		}
		list = append(list, place{dir: dir})
	}
	if len(dirs) == 0 {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find the sessions of coding agents: %w; set HOME, or name a folder with --from",
				err)
		}
		list = places(home, os.Getenv)
	}
	f := finder{rows: map[string]*Source{}}
	f.walker = walker{seen: map[fileID]bool{}, file: f.file, enter: f.enter}
	for _, p := range list {
		f.addRoot(p.dir)
	}
	for _, p := range list {
		f.agent = p.agent
		f.walk(p.dir, 0)
	}
	return &Found{Sources: f.sources, Problems: f.problems}, nil
}

// finder collects sources.
type finder struct {
	walker
	agent   Agent // of the folder that is searched; "" if not known
	sources []*Source
	rows    map[string]*Source // sessions in databases, by their agents and ids
}

// enter collects a storage folder of OpenCode or Kilo, which is not searched further.
func (f *finder) enter(dir string) bool {
	if f.agent != OpenCode && f.agent != Kilo && (f.agent != "" || filepath.Base(dir) != "storage") {
		return true
	}
	if !isDir(filepath.Join(dir, "session")) || !isDir(filepath.Join(dir, "message")) {
		return true
	}
	f.storage(dir)
	return false
}

// file collects a file whose name is that of a session file.
func (f *finder) file(path string, info os.FileInfo) {
	agent, k := f.agent, lines
	name := filepath.Base(path)
	convert, of := converterOf(path, agent)
	database := databaseAgent(path)
	switch {
	case convert != nil:
		agent, k = of, tree
	case database == OpenClaw && (agent == "" || agent == OpenClaw):
		f.openClaw(path)
		return
	case formats[agent] != nil:
		if !formats[agent].named(path) {
			return
		}
	case agent == Amp:
		return
	case strings.HasSuffix(name, ".jsonl"):
		if agent == Codex && !strings.HasPrefix(name, "rollout-") || agent == GeminiCLI && !isChat(path) ||
			agent == OpenCode || agent == Kilo || agent == Goose {
			return
		}
	case strings.HasSuffix(name, ".json"):
		if agent != GeminiCLI && agent != "" || !isChat(path) || geminiParent(path) != "" {
			return
		}
		agent, k = GeminiCLI, document
	case database != "" && (agent == "" || agent == database):
		if database == Goose {
			f.goose(path)
		} else {
			f.database(path, database)
		}
		return
	default:
		return
	}
	f.sources = append(f.sources, &Source{
		Agent: agent, Path: path, Size: info.Size(), Modified: info.ModTime(), kind: k, file: fileIDOf(info), convert: convert,
	})
}

// isChat reports whether a path names a conversation of the Gemini CLI.
func isChat(path string) bool {
	return filepath.Base(filepath.Dir(path)) == "chats" || geminiParent(path) != ""
}

// geminiParent returns the id of the session that started the one at a path, "" for none: the
// conversations of sub-agents are in a folder named after the parent session.
func geminiParent(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(filepath.Dir(dir)) != "chats" {
		return ""
	}
	return filepath.Base(dir)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
