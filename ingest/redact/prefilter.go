package redact

import "bytes"

// prefilter searches the bytes of a whole frame for the beginnings of secrets, without knowing
// where texts begin and end. It may report false positives but no false negatives: no secret begins
// in a frame that it calls clean, except in a keyword that the end of a text cuts off.
//
// It compares three bytes at a time with the first three bytes of all keywords, which dismisses
// nearly all offsets, four per step.
type prefilter struct {
	automaton *automaton
	first     *beginnings // the first three bytes of keywords
	escapes   bool        // a backslash may be part of an escaped keyword
	digits    bool        // a keyword may begin with a digit
}

// hidden are the JSON escapes that may encode bytes of keywords.
var hidden = []string{`\/`, `\u002`, `\u003`, `\u004`, `\u005`, `\u006`, `\u007`}

func newPrefilter(a *automaton, rules []*rule) *prefilter {
	p := &prefilter{automaton: a}
	var all, words []beginning
	for _, r := range rules {
		for _, key := range r.Keywords {
			if r.Before == "" && r.declared == "" {
				words = append(words, r.firstBytes(key)...)
			} else {
				all = append(all, r.firstBytes(key)...)
			}
			p.digits = p.digits || key[0] >= '0' && key[0] <= '9'
			for _, c := range []byte(key + r.declared) {
				p.escapes = p.escapes || c < ' ' || c >= 0x7f || c == '"' || c == '\\'
			}
		}
	}
	for _, text := range hidden {
		first := beginning{2: every}
		for i := range min(len(text), 3) {
			first[i] = class{}
			first[i].add(text[i])
		}
		all = append(all, first)
	}
	p.first = newBeginnings(all, words)
	return p
}

// every holds all bytes. textEnds holds the bytes at which a text in a frame may end.
var (
	every    = class{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}
	textEnds = func() (c class) {
		for _, b := range []byte("\"\\\n\r") {
			c.add(b)
		}
		return c
	}()
)

// firstBytes returns the possible first three bytes of a secret with the given keyword. The text
// may end after the keyword.
func (r *rule) firstBytes(key string) []beginning {
	var first beginning
	for i := range min(len(key), len(first)) {
		first[i].add(key[i])
	}
	if len(key) >= len(first) {
		return []beginning{first}
	}
	ended := first
	ended[len(key)] = textEnds
	for i := len(key); i < len(first); i++ {
		first[i] = r.prefix[i-len(key)]
		if i > len(key) {
			ended[i], first[i] = every, first[i].or(textEnds)
		}
	}
	return []beginning{first, ended}
}

// clean reports whether no secret begins at byte from of raw or later. It ignores a keyword that is
// cut off at the end of a text and that a later frame may complete.
func (p *prefilter) clean(m *machine, raw []byte, from int) bool {
	if p.escapes && bytes.IndexByte(raw, '\\') >= 0 {
		return false
	}
	return p.cleanBetween(m, raw, from, len(raw))
}

// cleanBetween does the same as clean for secrets that begin at bytes [from, to) of raw. It finds
// an escaped keyword only if the keyword begins with one of hidden.
func (p *prefilter) cleanBetween(m *machine, raw []byte, from, to int) bool {
	i := from
	if i < to && i+6 <= len(raw) {
		t := &p.first.table
		words := uint64(0) // number of successive steps in which all four bytes were part of a word
		for a, b := t[raw[i]], t[raw[i+1]]; i < to && i+6 <= len(raw); i += 4 {
			next := raw[i+2 : i+6]
			c, d, e, f := t[next[0]], t[next[1]], t[next[2]], t[next[3]]
			groups := (three(a, b, c) | three(b, c, d) | three(c, d, e) | three(d, e, f)) & groupBits
			within := (a & b & c & d) >> 63
			if groups != 0 && (groups>>wordGroups != 0 || words < 2 || within == 0) && !p.cleanAt(m, raw, i, min(i+4, to)) {
				return false
			}
			words = (words + 1) * within
			a, b = e, f
		}
	}
	for ; i < to; i++ {
		if p.begins(m, raw, i) {
			return false
		}
	}
	return true
}

// cleanAt does the same as cleanBetween for a few bytes.
func (p *prefilter) cleanAt(m *machine, raw []byte, from, to int) bool {
	for i := from; i < to; i++ {
		groups := p.first.has(raw[i], raw[i+1], raw[i+2])
		if groups != 0 && (groups>>wordGroups != 0 || !withinWord(raw, i)) && p.begins(m, raw, i) {
			return false
		}
	}
	return true
}

// mayBegin reports whether a keyword may begin with the first bytes of a text after which a gap of
// kind next follows.
func (p *prefilter) mayBegin(text []byte, next gap) bool {
	a := p.automaton
	if text[0] == '\\' || a.next[root][text[0]] == root {
		return text[0] == '\\'
	}
	n := uint16(root)
	for i, c := range text {
		if n = a.next[n][c]; len(a.paths[n]) != i+1 {
			return false
		}
		for _, h := range a.hits[n] {
			if len(h.key) == i+1 && h.rule.mayGoOn(text[i+1:]) {
				return true
			}
		}
	}
	if next != number {
		return true
	}
	for _, c := range "0123456789." {
		if to := a.next[n][c]; len(a.paths[to]) == len(text)+1 {
			return true
		}
	}
	return false
}

// mayGoOn reports whether the pattern may match the text after the keyword, of which only the
// beginning is known, or whether that text may end early.
func (r *rule) mayGoOn(text []byte) bool {
	for i := range min(len(text), len(r.prefix)) {
		if textEnds.has(text[i]) {
			return true
		}
		if !r.prefix[i].has(text[i]) {
			return false
		}
	}
	return true
}

// withinWord reports whether a letter or digit before byte i is part of a word, and not the end of
// an escape or of a colour sequence. It may return false for a byte that is part of a word.
func withinWord(raw []byte, i int) bool {
	if i == 0 || !alphanumeric.has(raw[i-1]) {
		return false
	}
	for j := i - 2; j >= max(i-longestEscape-1, 0); j-- {
		if !alphanumeric.has(raw[j]) {
			return raw[j] != '\\' && raw[j] != '%' && raw[j] != '[' && raw[j] != ';' && raw[j] != ':'
		}
	}
	return raw[i-1] != 'm'
}

// longestEscape is the length of the longest escape, such as \u00e9, bytes.
const longestEscape = 6

var alphanumeric = func() (c class) {
	for _, b := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		c.add(b)
	}
	return c
}()

// begins reports whether a secret may begin at byte i.
func (p *prefilter) begins(m *machine, raw []byte, i int) bool {
	a := p.automaton
	next, ends, long := a.next, a.ends, a.long
	n := uint16(root)
	for j := i; j < len(raw); j++ {
		if n = next[n][raw[j]]; int(long[n]) != j+1-i {
			break
		}
		if !ends[n] {
			continue
		}
		for _, h := range a.hits[n] {
			if len(h.key) == j+1-i && h.rule.possible(m, raw, i, j+1) {
				return true
			}
		}
	}
	if raw[i] == '\\' {
		for _, text := range hidden {
			if bytes.HasPrefix(raw[i:], []byte(text)) {
				return true
			}
		}
	}
	return false
}

// possible reports whether a secret may have its keyword at bytes [from, to) of a frame.
func (r *rule) possible(m *machine, raw []byte, from, to int) bool {
	if to < len(raw) && r.declared == "" && !r.prefix[0].has(raw[to]) && !textEnds.has(raw[to]) { // the usual case
		return false
	}
	if from > 0 && raw[from-1] != '"' && (from == 1 || raw[from-2] != '\\') && !r.mayFollow(raw[from-1]) &&
		!endsEscape(raw[:from]) &&
		!bytes.HasSuffix(raw[:from], []byte("data: ")) &&
		!bytes.HasSuffix(raw[:from], dataField) {
		return false
	}
	if r.declared != "" {
		return r.declaredAt(raw[from:])
	}
	for i := range r.prefix {
		if to+i >= len(raw) {
			return true
		}
		switch c := raw[to+i]; {
		case c == '\n' || c == '\r': // the end of a line of plain text, which the next frame may continue
			return true
		case c == '"' || c == '\\':
			return goesOn(&r.prefix[i], raw[to+i:]) && (c != '"' || r.prefix[i].has('\n') || r.Open || !ofWhole(raw, from))
		case !r.prefix[i].has(c):
			return false
		}
	}
	return m.survives(r, raw, from, to)
}

// ofWhole reports whether byte from of a frame begins the value of a JSON member that no other frame
// continues, such as the id of a session.
func ofWhole(raw []byte, from int) bool {
	i := from - 1
	if i < 3 || raw[i] != '"' {
		return false
	}
	for i--; i > 0 && raw[i] == ' '; i-- {
	}
	if raw[i] != ':' {
		return false
	}
	for i--; i > 0 && raw[i] == ' '; i-- {
	}
	if i < 1 || raw[i] != '"' || raw[i-1] == '\\' {
		return false
	}
	return names.kind(hash(nameBegin, raw[bytes.LastIndexByte(raw[:i], '"')+1:i])) != 0
}

// goesOn reports whether a text continues after a quote or a backslash, or whether another frame
// may continue a text that ends there.
func goesOn(next *class, raw []byte) bool {
	if next.has(raw[0]) || len(raw) == 1 {
		return true
	}
	if raw[0] == '"' {
		return raw[1] != ':' // with a colon, the name of a member
	}
	switch c := raw[1]; c {
	case 'n', 'r', 't', 'b', 'f':
		return next.has(controls[c-'b'])
	case 'u', '/':
		return true
	default:
		return next.has(c)
	}
}

// controls maps the letter after a backslash, from b on, to its control character.
var controls = [...]byte{0: '\b', 'f' - 'b': '\f', 'n' - 'b': '\n', 'r' - 'b': '\r', 't' - 'b': '\t'}

// declaredAt reports whether a declared secret may begin at the beginning of raw.
func (r *rule) declaredAt(raw []byte) bool {
	for i := range len(r.declared) {
		if i == len(raw) || raw[i] == '"' || raw[i] == '\\' || raw[i] == '\n' || raw[i] == '\r' {
			return true
		}
		if raw[i] != r.declared[i] {
			return false
		}
	}
	return true
}

// survivesMost is the maximum number of bytes that survives feeds to a pattern.
const survivesMost = 1 << 10

// survives reports whether the pattern of a rule matches the bytes after a keyword at bytes [from, to)
// of a frame. It also returns true if the pattern may still match at the end of the frame, or at the
// first quote, backslash or line end. At a quote after which no other frame continues the text the
// text has to end as in Masker.close.
func (m *machine) survives(r *rule, raw []byte, from, to int) bool {
	threads := m.beginIn(m.scratch, r.program, 0)
	var c byte
	for _, c = range raw[to:min(len(raw), to+survivesMost)] {
		if len(threads) == 0 || c == '"' || c == '\\' || c == '\n' || c == '\r' {
			break
		}
		if threads = m.feed(r.program, threads, c, 0); m.found {
			break
		}
	}
	may := m.found || len(threads) > 0
	if may && !m.found && c == '"' && !r.Open && ofWhole(raw, from) {
		threads = m.feed(r.program, threads, '\n', 0)
		may = m.found
	}
	m.scratch = threads[:0]
	return may
}
