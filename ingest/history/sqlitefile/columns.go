package sqlitefile

import "strings"

// columnsOf returns the names of the columns in a CREATE TABLE statement, in order.
func columnsOf(sql string) (names []string) {
	_, body, ok := strings.Cut(sql, "(")
	if !ok {
		return nil
	}
	for first, depth := true, 1; depth > 0; {
		var token string
		if token, body = nextToken(body); token == "" {
			return names
		}
		switch {
		case token == "(":
			depth++
		case token == ")":
			depth--
		case token == "," && depth == 1:
			first = true
			continue
		case first:
			if isConstraint(token) {
				return names // constraints of the table follow all columns
			}
			names = append(names, unquoted(token))
		}
		first = false
	}
	return names
}

func isConstraint(token string) bool {
	switch strings.ToUpper(token) {
	case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
		return true
	}
	return false
}

// closing are the ends of quoted names and texts by their begins.
var closing = map[byte]byte{'"': '"', '`': '`', '\'': '\'', '[': ']'}

// nextToken returns the first token of a statement and what follows it: a name, a quoted name,
// a text or one other character. It is "" at the end.
func nextToken(sql string) (token, rest string) {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
			continue
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql, "*/")
			continue
		case sql == "":
			return "", ""
		}
		break
	}
	if end, quoted := closing[sql[0]]; quoted {
		for i := 1; i < len(sql); i++ {
			if sql[i] != end {
				continue
			}
			if i+1 < len(sql) && sql[i+1] == end {
				i++ // a doubled one stands for itself
				continue
			}
			return sql[:i+1], sql[i+1:]
		}
		return sql, ""
	}
	n := strings.IndexAny(sql, " \t\r\n(),\"`'[")
	if n < 0 {
		n = len(sql)
	}
	n = max(n, 1)
	return sql[:n], sql[n:]
}

// unquoted returns the name of a token.
func unquoted(token string) string {
	end, quoted := closing[token[0]]
	if !quoted || len(token) < 2 {
		return token
	}
	return strings.ReplaceAll(token[1:len(token)-1], string(end)+string(end), string(end))
}
