package bench

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
)

// vocabulary returns n random words of 2 to 11 of the letters.
func vocabulary(random *rand.Rand, n int, letters string) []string {
	list := make([]string, n)
	for i := range list {
		word := make([]byte, 2+random.IntN(10))
		for j := range word {
			word[j] = letters[random.IntN(len(letters))]
		}
		list[i] = string(word)
	}
	return list
}

// GenerateTexts writes Loom frames to a file, perSession of them in each session. Each has a text
// of size bytes or a little more: code with line breaks and quotes, of a vocabulary of 4,000 words.
// The same numbers produce the same file.
func GenerateTexts(frames, size, perSession int, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("generate texts: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	random := rand.New(rand.NewPCG(7, 7))
	list := vocabulary(random, 4000, "abcdefghijklmnopqrstuvwxyz")
	word := func() string { return list[random.IntN(len(list))] }
	out := bufio.NewWriterSize(f, 1<<20)
	for i := range frames {
		fmt.Fprintf(out, `{"session_id":"texts-%d","node_id":"run-think-0","event_id":%d,"type":"message_chunk","content":"`,
			i/perSession+1, i%perSession+1)
		for written, escapes := 0, 0; written-escapes < size; {
			// Flush returns an earlier error.
			n, _ := fmt.Fprintf(out, `func (r *%s) %s() error {\n\treturn fmt.Errorf(\"%s %s %s %s %s %s\", r.%s)\n}\n\n`,
				word(), word(), word(), word(), word(), word(), word(), word(), word())
			written, escapes = written+n, escapes+7 // seven characters of the text are escaped
		}
		out.WriteString(`","id":"think"}` + "\n")
	}
	return out.Flush()
}
