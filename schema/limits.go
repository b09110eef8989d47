package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limit is what a source stated last about one limit of its account: a window of a rate limit, a
// quota, or a balance of credits. It is no usage and no cost. A field that the source did not state
// has its zero value.
type Limit struct {
	Name string `json:"name"`           // the source's name, such as five_hour or primary
	Plan string `json:"plan,omitempty"` // the plan of the account
	// Window is the length of the window, s.
	Window int64 `json:"window_s,omitempty"`
	// UsedPercent is how much of the limit is used, percent. It is above 100 beyond the limit.
	UsedPercent *float64 `json:"used_percent,omitempty"`
	// Used and Max are how much is used and how much the limit is, in the source's unit.
	Used *float64 `json:"used,omitempty"`
	Max  *float64 `json:"max,omitempty"`
	// Balance is what is left of credits, a decimal number in the source's unit.
	Balance   string `json:"balance,omitempty"`
	Unlimited bool   `json:"unlimited,omitempty"`
	Status    string `json:"status,omitempty"` // the source's word for it, such as allowed or rejected
	// ResetsAt is when the limit is reset, s since 1970.
	ResetsAt int64 `json:"resets_at,omitempty"`
	// At is when the frame arrived that stated it, ns since 1970.
	At int64 `json:"at"`
}

// Bounds of a Limit. Values beyond them count as not stated.
const (
	// MaxLimits is the number of limits, by name, that are kept for a session's share of a stream.
	MaxLimits = 16

	maxLimitText    = 64           // bytes of a name, a plan, a status
	maxBalance      = 40           // bytes of a balance
	maxWindow       = 3660 * 86400 // s, ten years
	maxPercent      = 10_000
	maxAmount       = 1e15
	firstReset      = 31_536_000    // s: the year 1971
	lastReset       = 9_214_646_400 // s: the year 2262, as far as a time in ns reaches
	maxLimitsText   = 64 << 10      // bytes of Limits.Text
	percentDecimals = 1e6           // a percentage has six decimals
)

// Sound reports whether l has a name and states something. It first removes values beyond the
// bounds and shortens texts.
func (l *Limit) Sound() bool {
	for _, text := range []*string{&l.Name, &l.Plan, &l.Status} {
		*text = limitText(*text)
	}
	if l.Window < 0 || l.Window > maxWindow {
		l.Window = 0
	}
	if l.UsedPercent = within(l.UsedPercent, maxPercent); l.UsedPercent != nil {
		rounded := math.Round(*l.UsedPercent*percentDecimals) / percentDecimals
		l.UsedPercent = &rounded
	}
	l.Used, l.Max = within(l.Used, maxAmount), within(l.Max, maxAmount)
	if l.ResetsAt < firstReset || l.ResetsAt > lastReset {
		l.ResetsAt = 0
	}
	if !isBalance(l.Balance) {
		l.Balance = ""
	}
	return l.Name != "" && (l.UsedPercent != nil || l.Used != nil || l.Max != nil || l.Balance != "" || l.Unlimited ||
		l.Status != "" || l.ResetsAt != 0)
}

// limitText returns the beginning of a text, as valid UTF-8 in memory of its own.
func limitText(text string) string {
	if len(text) > maxLimitText {
		n := maxLimitText
		for n > maxLimitText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	return strings.Clone(strings.ToValidUTF8(text, "\ufffd"))
}

// within returns a number that is 0 to most, and nil for any other.
func within(n *float64, most float64) *float64 {
	if n == nil || !(*n >= 0 && *n <= most) {
		return nil
	}
	return n
}

// isBalance reports whether a text is a decimal number, which may be negative.
func isBalance(text string) bool {
	if text == "" || len(text) > maxBalance || strings.Trim(text, "-.0123456789") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// Share returns how much of the limit is used, percent: as stated, or from the used amount and the
// limit. ok is false if neither is known.
func (l *Limit) Share() (percent float64, ok bool) {
	switch {
	case l.UsedPercent != nil:
		return *l.UsedPercent, true
	case l.Used != nil && l.Max != nil && *l.Max > 0:
		percent = math.Round(*l.Used / *l.Max * 100 * percentDecimals) / percentDecimals
		return percent, percent <= maxPercent
	}
	return 0, false
}

// Limits are the limits that a source stated, each with its last statement, in the order in which
// they were first stated.
type Limits []Limit

// Set replaces the limit of the same name, unless that was stated later. It returns false, and
// keeps nothing, for a name beyond MaxLimits.
func (ls *Limits) Set(l Limit) bool {
	for i := range *ls {
		if had := &(*ls)[i]; had.Name == l.Name {
			if l.At >= had.At {
				*had = l
			}
			return true
		}
	}
	if len(*ls) >= MaxLimits {
		return false
	}
	*ls = append(*ls, l)
	return true
}

// Text returns the limits as a JSON array, "" for none.
func (ls Limits) Text() string {
	if len(ls) == 0 {
		return ""
	}
	text, err := json.Marshal(ls)
	if err != nil {
		return "" // a number that is no JSON, which Sound removes
	}
	return string(text)
}

// ReadLimits reads what Text returned. It leaves out what is not sound, since a tape may have been
// written by anybody.
func ReadLimits(text string) (ls Limits) {
	var stated []Limit
	if len(text) == 0 || len(text) > maxLimitsText || json.Unmarshal([]byte(text), &stated) != nil {
		return nil
	}
	for i := range stated {
		if l := &stated[i]; l.Sound() && l.At >= 0 {
			ls.Set(*l)
		}
	}
	return ls
}
