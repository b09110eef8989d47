package compressed

import (
	"strconv"
	"strings"
)

// accepted returns the coding that an Accept-Encoding prefers, nil for none. Between codings of one
// weight the order of codings decides.
func accepted(fields []string) *coding {
	weights := map[string]float64{}
	for field := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		name, parameters, _ := strings.Cut(field, ";")
		weight := 1.0
		if key, value, ok := strings.Cut(parameters, "="); ok && strings.EqualFold(strings.TrimSpace(key), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(q >= 0 && q <= 1) {
				q = 0 // an invalid element is not accepted
			}
			weight = q
		}
		weights[strings.ToLower(strings.TrimSpace(name))] = weight
	}
	var best *coding
	most := weights["identity"] // if it is named, it may be preferred
	for i := range codings {
		weight, named := weights[codings[i].name]
		if !named {
			weight = weights["*"]
		}
		if weight > most || weight == most && weight > 0 && best == nil {
			best, most = &codings[i], weight
		}
	}
	return best
}
