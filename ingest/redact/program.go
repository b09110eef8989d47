package redact

import (
	"fmt"
	"regexp/syntax"
)

// program matches the pattern of a rule byte by byte, anchored behind the keyword. Unlike
// package regexp it stops at the end of a text and continues with the next one. The
// simulation is linear in the text: each instruction has at most one thread.
type program struct {
	insts []syntax.Inst
	start uint32
}

// thread is an instruction with the range of the first group, -1 where it is not set.
type thread struct {
	pc       uint32
	from, to int32
}

// compile compiles a pattern in RE2 syntax. Patterns are of ASCII and have no assertions;
// any byte beyond ASCII counts as one character that is not ASCII.
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
			return nil, fmt.Errorf("pattern %q has an assertion (^, $, \\b): say what may stand around the secret with before and after", pattern)
		}
	}
	return &program{prog.Inst, uint32(prog.Start)}, nil
}

// machine runs programs. It is scratch memory of one goroutine.
type machine struct {
	seen     []uint32 // by instruction: the step that added it
	step     uint32
	stack    []thread
	next     []thread
	found    bool  // the step reached the end of the pattern
	from, to int32 // the group of the match that was found
}

// begin returns the threads at the beginning of a pattern, whose first byte is number at.
func (m *machine) begin(p *program, at int32) []thread {
	m.reset(p)
	m.next = nil
	m.follow(p, thread{p.start, -1, -1}, at)
	threads := m.next
	m.next = nil // the candidate has the memory
	return threads
}

func (m *machine) reset(p *program) {
	if len(m.seen) < len(p.insts) {
		m.seen, m.step = make([]uint32, len(p.insts)), 0
	}
	m.step++
	m.found = false
}

// feed takes one byte, which is number at, and returns the threads that go on, in the
// memory of those before.
func (m *machine) feed(p *program, threads []thread, c byte, at int32) []thread {
	m.reset(p)
	r := rune(c)
	if c >= 0x80 {
		r = '\ufffd'
	}
	m.next = m.next[:0]
	for _, t := range threads {
		if p.insts[t.pc].MatchRune(r) {
			m.follow(p, thread{p.insts[t.pc].Out, t.from, t.to}, at+1)
		}
	}
	return append(threads[:0], m.next...)
}

// follow adds the instructions that consume a byte and that lead on from t.
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
			switch inst.Arg {
			case 2:
				t.from = at
			case 3:
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
