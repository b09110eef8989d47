package redact

import (
	"fmt"
	"regexp/syntax"
)

// program matches the pattern of a rule byte by byte, anchored at the end of the keyword. Unlike
// package regexp it can stop at the end of a text and continue with the next text. The simulation
// takes time linear in the length of the text: each instruction has at most one thread.
type program struct {
	insts []syntax.Inst
	start uint32
}

// thread is an instruction with the range of the first group that was entered; -1 for an end that
// is not set.
type thread struct {
	pc       uint32
	from, to int32
}

// compile compiles a pattern in RE2 syntax. A pattern consists of ASCII and has no assertions. Each
// byte beyond ASCII counts as one character that is not ASCII.
func compile(pattern string) (*program, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	for _, inst := range prog.Inst {
		if inst.Op == syntax.InstEmptyWidth {
			return nil, fmt.Errorf(
				"pattern %q has an assertion (^, $, \\b): state the bytes around the secret with before and after", pattern,
			)
		}
	}
	return &program{prog.Inst, uint32(prog.Start)}, nil
}

// machine runs programs. It is scratch memory and is not safe for concurrent use.
type machine struct {
	seen     []uint32 // by instruction: the latest step that added it
	step     uint32
	stack    []thread
	next     []thread
	scratch  []thread
	found    bool  // the latest step reached the end of the pattern
	from, to int32 // range of the group of that match
}

// begin returns the threads at the beginning of a pattern. at is the offset of the first byte.
func (m *machine) begin(p *program, at int32) []thread { return m.beginIn(nil, p, at) }

// beginIn is begin with the memory of other threads.
func (m *machine) beginIn(threads []thread, p *program, at int32) []thread {
	m.reset(p)
	m.next = m.next[:0]
	m.follow(p, thread{p.start, -1, -1}, at)
	return append(threads[:0], m.next...)
}

func (m *machine) reset(p *program) {
	if len(m.seen) < len(p.insts) {
		m.seen, m.step = make([]uint32, len(p.insts)), 0
	}
	m.step++
	m.found = false
}

// feed consumes the byte c at offset at, and returns the threads that continue. It reuses the
// memory of threads.
func (m *machine) feed(p *program, threads []thread, c byte, at int32) []thread {
	m.reset(p)
	r := runeOf(c)
	m.next = m.next[:0]
	for _, t := range threads {
		if p.insts[t.pc].MatchRune(r) {
			m.follow(p, thread{p.insts[t.pc].Out, t.from, t.to}, at+1)
		}
	}
	return append(threads[:0], m.next...)
}

// follow adds the threads for all instructions that t reaches without consuming a byte.
func (m *machine) follow(p *program, t thread, at int32) {
	m.stack = append(m.stack[:0], t)
	for len(m.stack) > 0 {
		t := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if m.seen[t.pc] == m.step {
			continue
		}
		m.seen[t.pc] = m.step
		inst := &p.insts[t.pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.stack = append(m.stack, thread{inst.Arg, t.from, t.to}, thread{inst.Out, t.from, t.to})
		case syntax.InstCapture:
			switch {
			case inst.Arg == 2, inst.Arg > 3 && inst.Arg%2 == 0 && t.from < 0:
				t.from = at
			case inst.Arg == 3, inst.Arg > 3 && inst.Arg%2 == 1 && t.to < 0:
				t.to = at
			}
			m.stack = append(m.stack, thread{inst.Out, t.from, t.to})
		case syntax.InstNop:
			m.stack = append(m.stack, thread{inst.Out, t.from, t.to})
		case syntax.InstMatch:
			m.found, m.from, m.to = true, t.from, t.to
		case syntax.InstFail:
		default:
			m.next = append(m.next, t)
		}
	}
}

// prefix holds, for each distance to the keyword, the bytes that can follow if the pattern is to
// match.
type prefix [12]class

// class is a set of bytes.
type class [4]uint64

func (s *class) add(c byte) { s[c/64] |= 1 << (c % 64) }
func (s class) or(t class) class {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// bytes returns the members of the class in ascending order.
func (s class) bytes() (all []byte) {
	for c := range 256 {
		if s.has(byte(c)) {
			all = append(all, byte(c))
		}
	}
	return all
}

func (s *class) has(c byte) bool { return s[c/64]>>(c%64)&1 != 0 }

// prefix follows all paths through the pattern to collect its first bytes.
func (p *program) prefix() (l prefix) {
	var m machine
	threads := m.begin(p, 0)
	for i := range l {
		if m.found { // any byte may follow
			for j := i; j < len(l); j++ {
				l[j] = class{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}
			}
			return l
		}
		m.reset(p)
		m.next = m.next[:0]
		for _, t := range threads {
			matches := false
			for c := range 256 {
				if p.insts[t.pc].MatchRune(runeOf(byte(c))) {
					l[i].add(byte(c))
					matches = true
				}
			}
			if matches {
				m.follow(p, thread{p.insts[t.pc].Out, -1, -1}, 0)
			}
		}
		threads = append(threads[:0], m.next...)
	}
	return l
}

// runeOf returns the character that a byte is matched as.
func runeOf(c byte) rune {
	if c >= 0x80 {
		return '\ufffd'
	}
	return rune(c)
}
