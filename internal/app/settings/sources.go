package settings

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tapedeck/internal/local/engine"
)

// Sources finds the values of a server's settings that the command line does not set: in the
// environment, in files that the environment names, and in the configuration file. It is a
// kong.Resolver, and is valid for one parse. It collects problems to report all of them at once.
type Sources struct {
	getenv   func(string) (string, bool)
	server   *kong.Node // the command with these settings; nil until it is known
	file     map[string]entry
	path     string // of the configuration file
	read     bool
	origins  map[string]Origin
	problems []problem
	refused  map[string]bool // settings with a problem
	warnings []string
	memory   *processMemory // nil without a limit
}

// NewSources returns the sources of a parse.
func NewSources() *Sources {
	return &Sources{getenv: os.LookupEnv, origins: map[string]Origin{}, refused: map[string]bool{}}
}

// Validate implements kong.Resolver.
func (s *Sources) Validate(*kong.Application) error { return nil }

// TakeOver takes the environment variables of servers' settings from the parser, which would stop
// at the first invalid one, and those of all commands that are empty, which count as not set.
func (s *Sources) TakeOver(app *kong.Application) {
	s.takeEmpty(app.Node)
	for _, n := range app.Children {
		if readsSettings(n) {
			for _, f := range n.Flags {
				f.Tag.Envs = nil
			}
		}
	}
}

// takeEmpty takes the empty variables of a node's flags, and of all nodes below it, from the parser.
func (s *Sources) takeEmpty(n *kong.Node) {
	for _, f := range n.Flags {
		f.Tag.Envs = slices.DeleteFunc(slices.Clone(f.Tag.Envs), func(name string) bool {
			value, set := s.getenv(name)
			return set && value == ""
		})
	}
	for _, child := range n.Children {
		s.takeEmpty(child)
	}
}

// readsSettings reports whether a command has settings of servers.
func readsSettings(n *kong.Node) bool {
	return n.Type == kong.CommandNode && (isServer(n) || slices.Contains([]string{"migrate", "restore", "verify"},
		n.Name))
}

// isServer reports whether a command runs a server. Other commands with settings read only the
// settings of ClickHouse and NATS from a server's configuration file.
func isServer(n *kong.Node) bool { return n.Name == "up" || n.Name == "serve" }

// fromFile reports whether a command reads a setting from the configuration file.
func (s *Sources) fromFile(f *kong.Flag) bool {
	return isServer(s.server) || strings.HasPrefix(f.Name, "clickhouse") || strings.HasPrefix(f.Name, "nats")
}

// Resolve implements kong.Resolver.
func (s *Sources) Resolve(c *kong.Context, parent *kong.Path, f *kong.Flag) (any, error) {
	if parent.Command == nil || !readsSettings(parent.Command) || f.Name == "help" {
		return nil, nil
	}
	s.readConfig(c, parent.Command)
	raw, from, err := s.find(f)
	if err != nil {
		s.wrong(f.Name, from, err)
		return nil, nil
	}
	if raw == nil {
		return nil, nil
	}
	trial := reflect.New(f.Target.Type()).Elem()
	if err := f.Parse(kong.Scan().PushTyped(raw, kong.FlagValueToken), trial); err != nil {
		s.wrong(f.Name, from, malformed(f, raw, from, err))
		return nil, nil
	}
	if err := checkEnum(f, trial, from); err != nil {
		s.wrong(f.Name, from, err)
		return nil, nil
	}
	s.origins[f.Name] = from
	return raw, nil
}

// readConfig reads the configuration file, once.
func (s *Sources) readConfig(c *kong.Context, command *kong.Node) {
	if s.read {
		return
	}
	s.read, s.server = true, command
	for _, f := range command.Flags {
		if f.Name == "config" {
			if path, ok := c.FlagValue(f).(string); ok && path != "" {
				s.path = path
			} else if path, ok := s.getenv(f.Envs[0]); ok {
				s.path = path
			}
		}
	}
	if s.path == "" {
		return
	}
	known, others := names(command), map[string]string{}
	for _, n := range command.Parent.Children {
		if !isServer(n) || n == command {
			continue
		}
		for _, name := range names(n) {
			switch {
			case slices.Contains(known, name):
			case isServer(command):
				others[name] = fmt.Sprintf("%q", n.FullPath())
			default:
				known = append(known, name)
			}
		}
	}
	var problems []problem
	s.file, problems = readFile(s.path, known, others)
	s.problems = append(s.problems, problems...)
}

// names returns the settings of a command.
func names(n *kong.Node) (list []string) {
	for _, f := range n.Flags {
		if f.Name != "help" && f.Name != "config" {
			list = append(list, f.Name)
		}
	}
	return list
}

// find returns the text of a setting and its origin; nil if it is not set.
func (s *Sources) find(f *kong.Flag) (any, Origin, error) {
	for _, name := range f.Envs {
		value, set := s.getenv(name)
		set = set && value != "" // templates may set variables to ""
		if f.Tag.Has("secret") {
			if path, _ := s.getenv(name + "_FILE"); path != "" {
				if set {
					return nil, Origin{}, fmt.Errorf("the environment variables %s and %s_FILE are both set; unset one", name, name)
				}
				secret, warning, err := readSecret(name+"_FILE", path)
				s.warn(warning)
				return secret, Origin{Kind: FromEnvironment, Name: name + "_FILE"}, err
			}
		}
		if set {
			return value, Origin{Kind: FromEnvironment, Name: name}, nil
		}
	}
	if e, ok := s.file[f.Name]; ok && e.value != nil && s.fromFile(f) {
		return e.value, Origin{Kind: FromFile, Name: fmt.Sprintf("%s:%d", s.path, e.line), line: e.line}, nil
	}
	return nil, Origin{}, nil
}

func (s *Sources) warn(text string) {
	if text != "" {
		s.warnings = append(s.warnings, text)
	}
}

// Of returns the origin of a setting's value, after the parse.
func (s *Sources) Of(name string) Origin {
	if o, ok := s.origins[name]; ok {
		return o
	}
	return Origin{Kind: FromDefault}
}

// File returns the path of the configuration file, "" if there is none.
func (s *Sources) File() string { return s.path }

// Warnings returns warnings for an operator about the sources of a valid configuration.
func (s *Sources) Warnings() []string { return s.warnings }

// Check returns the errors of all settings that are malformed, out of bounds or repeated, and the
// errors in conflicts, which checks of several settings have found. It does nothing for commands
// without settings.
func (s *Sources) Check(c *kong.Context, conflicts error) error {
	if s.server == nil {
		return nil
	}
	given := map[string]int{}
	for _, p := range c.Path {
		if p.Flag == nil || p.Resolved {
			continue
		}
		s.origins[p.Flag.Name] = Origin{Kind: FromFlag}
		if given[p.Flag.Name]++; given[p.Flag.Name] == 2 && !p.Flag.IsCumulative() {
			s.wrong(p.Flag.Name, Origin{Kind: FromFlag},
				fmt.Errorf("--%s is given more than once: set it once", p.Flag.Name))
		}
	}
	for _, f := range s.server.Flags {
		if err := outside(f, f.Target, s.Of(f.Name)); err != nil {
			s.wrong(f.Name, s.Of(f.Name), err)
		}
	}
	for _, err := range flatten(conflicts) {
		s.conflict(err)
	}
	return join(s.problems)
}

// known returns the names of the variables that commands read.
func known(app *kong.Application) []string {
	all := map[string]bool{clientSecret: true, engine.LibraryEnv: true}
	_ = kong.Visit(app, func(n kong.Visitable, next kong.Next) error {
		if f, ok := n.(*kong.Flag); ok {
			for _, e := range f.Envs {
				all[e] = true
				all[e+"_FILE"] = all[e+"_FILE"] || f.Tag.Has("secret")
			}
		}
		return next(nil)
	})
	maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(all))
}
