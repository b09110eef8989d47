package docker

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is a line of the Dockerfile, with its continuations.
type instruction struct {
	name  string
	flags map[string]string
	text  string
}

// stage is one build stage.
type stage struct {
	name, base string
	lines      []instruction
}

var flag = regexp.MustCompile(`^--([a-z]+)=(\S+)\s+`)

// dockerfile returns the stages, by name.
func dockerfile(t *testing.T) map[string]*stage {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]*stage{}
	var now *stage
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.SplitSeq(joined, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if name == "FROM" {
			base, as, ok := strings.Cut(rest, " AS ")
			if !ok {
				t.Fatalf("%s has no name", line)
			}
			now = &stage{name: as, base: base}
			stages[as] = now
			continue
		}
		i := instruction{name: name, flags: map[string]string{}, text: strings.TrimSpace(rest)}
		for m := flag.FindStringSubmatch(i.text); m != nil; m = flag.FindStringSubmatch(i.text) {
			i.flags[m[1]] += m[2] + " "
			i.text = i.text[len(m[0]):]
		}
		now.lines = append(now.lines, i)
	}
	return stages
}

// first returns the text of a stage's first instruction of a name.
func (s *stage) first(name string) string {
	for _, i := range s.lines {
		if i.name == name {
			return i.text
		}
	}
	return ""
}

// context lists what .dockerignore leaves of the repository's root.
func context(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "!"); ok {
			kept = append(kept, name)
		}
	}
	return kept
}

// packageBuilt matches a package of this module in a command.
var packageBuilt = regexp.MustCompile(`\./((?:cmd|tools)/\S+)`)

// Every file that is copied from the source, and every package that is built, exists and is in the context of
// the build.
func TestCopiedFilesExist(t *testing.T) {
	kept := context(t)
	for _, s := range dockerfile(t) {
		for _, i := range s.lines {
			if i.name == "RUN" {
				for _, m := range packageBuilt.FindAllStringSubmatch(i.text, -1) {
					if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
						t.Errorf("%s: %v", s.name, err)
					}
					if top, _, _ := strings.Cut(m[1], "/"); !slices.Contains(kept, top) {
						t.Errorf("%s builds %s, which .dockerignore leaves out", s.name, m[1])
					}
				}
			}
			if i.name != "COPY" {
				continue
			}
			sources := strings.Fields(i.text)
			sources = sources[:len(sources)-1]
			if from := strings.TrimSpace(i.flags["from"]); from != "" {
				if dockerfile(t)[from] == nil {
					t.Errorf("%s copies from %s, which is no stage", s.name, from)
				}
				continue
			}
			for _, source := range sources {
				if _, err := os.Stat(filepath.Join("../..", source)); err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
				if top, _, _ := strings.Cut(source, "/"); source != "." && !strings.Contains(" "+strings.Join(kept, " ")+" ", " "+top+" ") {
					t.Errorf("%s copies %s, which .dockerignore leaves out", s.name, source)
				}
			}
		}
	}
}

// The images run as a user other than root, are labelled, and check their health without a shell.
func TestImages(t *testing.T) {
	stages := dockerfile(t)
	for name, base := range map[string]string{"tapedeck": "scratch", "tapedeck-local": "debian:bookworm-slim"} {
		s := stages[name]
		if s == nil || s.base != base {
			t.Fatalf("%s: %+v, want one from %s", name, s, base)
		}
		if user := s.first("USER"); user != "65532:65532" {
			t.Errorf("%s runs as %q", name, user)
		}
		if health := s.first("HEALTHCHECK"); !strings.HasSuffix(health, `CMD ["/usr/bin/tapedeck", "health"]`) {
			t.Errorf("%s: HEALTHCHECK %s", name, health)
		}
		if labels := s.first("LABEL"); strings.Count(labels, "org.opencontainers.image.") < 3 {
			t.Errorf("%s: LABEL %s", name, labels)
		}
		if s.first("RUN") != "" {
			t.Errorf("%s runs a command in the image that is shipped", name)
		}
		bill := false
		for _, i := range s.lines {
			bill = bill || i.name == "COPY" && strings.Contains(i.text, "tapedeck.cdx.json /usr/share/doc/")
		}
		if !bill {
			t.Errorf("%s has no bill of materials", name)
		}
	}
}
