package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tapedeck/internal/nearest"
)

// foreign matches variables that begin with TAPEDECK_ and are not settings: variables of tests and
// of the build, and variables that Kubernetes sets for services called tapedeck.
var foreign = regexp.MustCompile(`^TAPEDECK_(TEST|BENCH)_|(_SERVICE_HOST|_SERVICE_PORT(_[A-Z0-9_]+)?|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// UnknownVariables returns a sentence for each variable of an environment that begins with
// TAPEDECK_ and that no command reads.
func UnknownVariables(app *kong.Application, environ []string) (list []string) {
	all := known(app)
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "TAPEDECK_") || slices.Contains(all, name) || foreign.MatchString(name) {
			continue
		}
		text := fmt.Sprintf("nothing reads the environment variable %s", name)
		if near := nearest.Names(name, all, 1, max((len(name)-len("TAPEDECK_"))/4, 1)); len(near) > 0 {
			text += "; did you mean " + near[0] + "?"
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}
