package engine

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"text/template"
)

var (
	//go:embed config.xml.tmpl
	configText string
	//go:embed users.xml.tmpl
	usersText string

	// escape makes a path safe inside XML.
	escape = template.FuncMap{"xml": func(text string) (string, error) {
		var out bytes.Buffer
		err := xml.EscapeText(&out, []byte(text))
		return out.String(), err
	}}
	configTemplate = template.Must(template.New("config.xml").Funcs(escape).Parse(configText))
	usersTemplate  = template.Must(template.New("users.xml").Funcs(escape).Parse(usersText))
)

// Files that Start writes to the engine's directory.
const (
	configFile = "config.xml"
	usersFile  = "users.xml"
	startFile  = "start.sql"
	logFile    = "engine.log"
)

// settings are the values of the templates. Sizes are bytes.
type settings struct {
	Dir          string
	Backups      string // directory to which backups may be written; none if empty
	Port         int
	Host         string
	Library      bool // the program is the library, which runs clickhouse-local
	User         string
	PasswordHash string // SHA-256 in hexadecimal: no file contains the password itself
	Sync         bool   // fsync each insert
	Pool         int    // threads for merges
	Cluster      Cluster
	Shard        int // macros of a member of a cluster with Keeper
	Replica      int
	Cold         Cold

	Memory      uint64 // limit of the whole server
	QueryMemory uint64 // limit of one query
	SpillMemory uint64 // size beyond which a GROUP BY or ORDER BY goes to disk
	MergeMemory uint64 // size beyond which merges wait
	MarkCache   uint64
	IndexCache  uint64 // size for the primary index, and for each part of the text index
}

func newSettings(opts Options, program Program, port int, password string) settings {
	memory := opts.MemoryLimit
	if memory == 0 {
		memory = DefaultMemory()
	}
	shard, replica := opts.Cluster.macros(port)
	hash := sha256.Sum256([]byte(password))
	return settings{
		Dir:          opts.Dir,
		Backups:      opts.Backups,
		Port:         port,
		Host:         loopback,
		Library:      program.Library != "",
		User:         User,
		PasswordHash: hex.EncodeToString(hash[:]),
		Sync:         opts.SyncAlways,
		Cluster:      opts.Cluster,
		Shard:        shard,
		Replica:      replica,
		Cold:         opts.Cold,
		Pool:         min(max(runtime.NumCPU(), 2), 8),
		Memory:       memory,
		QueryMemory:  memory / 4 * 3,
		SpillMemory:  memory / 4,
		MergeMemory:  memory / 2,
		MarkCache:    memory / 16,
		IndexCache:   memory / 32,
	}
}

// write writes the configuration to the engine's directory, readable only by its owner.
func (s settings) write() error {
	for name, tmpl := range map[string]*template.Template{configFile: configTemplate, usersFile: usersTemplate} {
		var text bytes.Buffer
		if err := tmpl.Execute(&text, s); err != nil {
			return fmt.Errorf("ClickHouse's %s: %w", name, err)
		}
		if err := writePrivate(filepath.Join(s.Dir, name), text.Bytes()); err != nil {
			return err
		}
	}
	return writePrivate(filepath.Join(s.Dir, startFile), []byte("SYSTEM START LISTEN TCP;\n"))
}

// writePrivate replaces a file atomically.
func writePrivate(path string, text []byte) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, text, 0o600); err != nil {
		return fmt.Errorf("write ClickHouse's configuration: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("write ClickHouse's configuration: %w", err)
	}
	return nil
}
