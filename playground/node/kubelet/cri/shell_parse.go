package cri

import (
	"strconv"
	"strings"
)

// A small shell: what scripts in manifests use. Statements end with ;, a new
// line, && or ||; there are if, while, until and for, pipes, > and >>,
// variables, $(commands), $((sums)), and trap for SIGTERM. See doc.go.

// script is a parsed shell script.
type script struct {
	body    *list
	failure string // what a shell would say of its syntax
	open    bool   // a line more could make it whole: a shell at a terminal waits for it
	errexit bool
	args    []string // $0, $1 …
	name    string   // of the shell
}

// list is statements that run one after the other.
type list struct{ items []*statement }

// statement is one pipeline, or one compound command.
type statement struct {
	// join tells when it runs: "" always, "&&" and "||" by how the one before ended.
	join     string
	not      bool
	pipe     []*command // or one of:
	cond     *list      // if, while, until
	until    bool
	loop     bool
	body     *list // then, do, ( ) or { }
	elseBody *list
	variable string // for
	values   []word
	redirect []redirect
}

// command is words and where its output goes.
type command struct {
	words    []word
	redirect []redirect
}

type redirect struct {
	fd     int // 1 or 2
	to     word
	append bool
	merge  bool // 2>&1
	input  bool
	here   bool // the text itself stands in to: <<EOF
}

// word is a word before expansion.
type word []part

type part struct {
	text   string
	kind   partKind
	quoted bool
}

type partKind int

const (
	literal partKind = iota
	variable
	substitution // $(…)
	arithmetic   // $((…))
)

type token struct {
	op   string // "" for a word
	word word   // of "<<EOF" what stands in the lines below
}

// plain is a word's text if nothing in it needs expansion or was quoted: only
// such a word can be a keyword.
func (t token) plain() string {
	if t.op != "" || len(t.word) != 1 || t.word[0].kind != literal || t.word[0].quoted {
		return ""
	}
	return t.word[0].text
}

func parseScript(text string) *script { return parseOf("sh", text) }

// parseOf parses a script of a shell: bash alone has arrays.
func parseOf(shell, text string) *script {
	tokens, open, failure := scan(text)
	if failure != "" {
		return &script{failure: failure, open: open}
	}
	if base(shell) == "bash" {
		tokens = unfoldArrays(tokens)
	}
	p := &parser{tokens: tokens}
	body := p.list()
	if p.failure == "" && p.at < len(p.tokens) {
		p.unexpected()
	}
	return &script{body: body, failure: p.failure, open: open || p.failure == unexpectedEnd}
}

// unfoldArrays makes of items=(foo bar) the assignments items[0]=foo items[1]=bar.
//
// Simplified: an item is one word, whatever its variables hold.
func unfoldArrays(tokens []token) (out []token) {
	for i := 0; i < len(tokens); i++ {
		name, is := strings.CutSuffix(tokens[i].plain(), "=")
		if !is || !isAssignment(name+"=") || i+1 == len(tokens) || tokens[i+1].op != "(" {
			out = append(out, tokens[i])
			continue
		}
		n := 0
		for i += 2; i < len(tokens) && (tokens[i].op == "" || tokens[i].op == ";"); i++ { // items may stand in lines of their own
			if tokens[i].op == "" {
				out = append(out, token{word: append(word{{text: name + "[" + strconv.Itoa(n) + "]="}}, tokens[i].word...)})
				n++
			}
		}
	}
	return out
}

// single is a script of one command, without a shell's rules for its words.
func single(argv []string) *script {
	c := &command{}
	for _, arg := range argv {
		c.words = append(c.words, word{{text: arg, quoted: true}})
	}
	return &script{body: &list{[]*statement{{pipe: []*command{c}}}}}
}

// unexpectedEnd is what is wrong with a script that ends too soon.
const unexpectedEnd = "syntax error: unexpected end of file"

// scan cuts a script into words and operators. It is open if something has begun in it that does not end.
func scan(text string) (out []token, open bool, failure string) {
	i := 0
	var here []*hereDocument // that begin in this line
	for i < len(text) {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
			open = open || i == len(text)
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '\n':
			out = append(out, token{op: ";"})
			i++
			for _, h := range here {
				var n int
				var ends bool
				out[h.token].word, n, ends = h.scan(text[i:])
				open = open || !ends
				i += n
			}
			here = nil
		case strings.HasPrefix(text[i:], "<<<"):
			out = append(out, token{op: "<<<"})
			i += 3
		case strings.HasPrefix(text[i:], "<<"):
			h, n := scanHere(text[i:])
			if n < 0 {
				return nil, false, "syntax error: unexpected newline"
			}
			h.token = len(out)
			here = append(here, h)
			out = append(out, token{op: "<<"})
			i += n
		case strings.HasPrefix(text[i:], "2>&1"), strings.HasPrefix(text[i:], "1>&2"), strings.HasPrefix(text[i:], ">&2"):
			n := strings.IndexByte(text[i:], '&') + 2
			out = append(out, token{op: text[i : i+n]})
			i += n
		case strings.HasPrefix(text[i:], "2>>"):
			out = append(out, token{op: "2>>"})
			i += 3
		case strings.HasPrefix(text[i:], "&&"), strings.HasPrefix(text[i:], "||"), strings.HasPrefix(text[i:], ">>"), strings.HasPrefix(text[i:], "2>"):
			out = append(out, token{op: text[i : i+2]})
			i += 2
		case strings.IndexByte(";|&><()", c) >= 0:
			op := text[i : i+1]
			if op == "&" {
				op = ";" // nothing runs in the background here
			}
			out = append(out, token{op: op})
			i++
		default:
			w, n := scanWord(text[i:])
			if n < 0 {
				return nil, true, "syntax error: unterminated quoted string"
			}
			out = append(out, token{word: w})
			i += n
		}
	}
	return out, open, ""
}

// hereDocument is a command's input that stands in the script below its line, up to a line that ends it.
type hereDocument struct {
	token        int // which one it belongs to
	end          string
	tabs, quoted bool // <<-EOF, <<'EOF'
}

// scanHere reads <<EOF; it returns its length, -1 if no word follows.
func scanHere(text string) (*hereDocument, int) {
	n, h := 2, &hereDocument{}
	if strings.HasPrefix(text[n:], "-") {
		h.tabs = true
		n++
	}
	n += len(text[n:]) - len(strings.TrimLeft(text[n:], " \t"))
	w, used := scanWord(text[n:])
	if used <= 0 {
		return nil, -1
	}
	for _, p := range w {
		h.end += p.text
		h.quoted = h.quoted || p.quoted
	}
	return h, n + used
}

// scan reads the lines of a document, how long they are with the one that ends it, and whether there is one. Variables and the like are replaced in
// them unless the word that ends it was quoted.
func (h *hereDocument) scan(text string) (w word, n int, ends bool) {
	var body strings.Builder
	for line := range strings.Lines(text) {
		n += len(line)
		if h.tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if ends = strings.TrimSuffix(line, "\n") == h.end; ends {
			break
		}
		body.WriteString(line)
	}
	rest := body.String()
	plain := func(s string) { w = append(w, part{text: s, quoted: true}) }
	for rest != "" && !h.quoted {
		i := strings.IndexAny(rest, "\\$")
		if i < 0 || i+1 == len(rest) {
			break
		}
		plain(rest[:i])
		rest = rest[i:]
		if rest[0] == '\\' {
			if strings.IndexByte("\\$`", rest[1]) < 0 {
				plain("\\")
			}
			plain(rest[1:2])
			rest = rest[2:]
			continue
		}
		p, used := scanDollar(rest)
		if used <= 1 {
			plain("$")
			rest = rest[1:]
			continue
		}
		p.quoted = true
		w = append(w, p)
		rest = rest[used:]
	}
	plain(rest)
	return w, n, ends
}

// special are the bytes that may end a run of plain text in a word.
const special = "\\\"'`$ \t\r\n;|&><()"

// scanWord reads a word; it returns its length, -1 for a quote that doesn't end.
func scanWord(text string) (w word, n int) {
	quoted := false
	plain := func(s string) {
		if k := len(w) - 1; k >= 0 && w[k].kind == literal && w[k].quoted == quoted {
			w[k].text += s
		} else {
			w = append(w, part{text: s, quoted: quoted})
		}
	}
	i := 0
	for i < len(text) {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			if quoted && strings.IndexByte("\\\"$`\n", text[i+1]) < 0 {
				plain("\\")
			}
			w = append(w, part{text: text[i+1 : i+2], quoted: true})
			i += 2
		case c == '"':
			quoted = !quoted
			w = append(w, part{quoted: true})
			i++
		case c == '\'' && !quoted:
			end := strings.IndexByte(text[i+1:], '\'')
			if end < 0 {
				return nil, -1
			}
			w = append(w, part{text: text[i+1 : i+1+end], quoted: true})
			i += end + 2
		case c == '`':
			end := strings.IndexByte(text[i+1:], '`')
			if end < 0 {
				return nil, -1
			}
			w = append(w, part{text: text[i+1 : i+1+end], kind: substitution, quoted: quoted})
			i += end + 2
		case c == '$':
			p, used := scanDollar(text[i:])
			if used < 0 {
				return nil, -1
			}
			if used == 1 {
				plain("$")
			} else {
				p.quoted = quoted
				w = append(w, p)
			}
			i += used
		case !quoted && strings.IndexByte(" \t\r\n;|&><()", c) >= 0:
			return w, i
		default:
			end := i + 1
			for end < len(text) && strings.IndexByte(special, text[end]) < 0 {
				end++
			}
			plain(text[i:end])
			i = end
		}
	}
	if quoted {
		return nil, -1
	}
	return w, i
}

// scanDollar reads what begins with a $; used is 1 when that stands for itself.
func scanDollar(text string) (p part, used int) {
	if len(text) < 2 {
		return p, 1
	}
	switch c := text[1]; {
	case strings.HasPrefix(text, "$(("):
		end := strings.Index(text, "))")
		if end < 0 {
			return p, -1
		}
		return part{text: text[3:end], kind: arithmetic}, end + 2
	case c == '(':
		depth := 0
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return part{text: text[2:i], kind: substitution}, i + 1
				}
			}
		}
		return p, -1
	case c == '{':
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return p, -1
		}
		return part{text: text[2:end], kind: variable}, end + 1
	case strings.IndexByte("?$#@*!0123456789", c) >= 0:
		return part{text: text[1:2], kind: variable}, 2
	}
	n := 1
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return part{text: text[1:n], kind: variable}, n
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

type parser struct {
	tokens  []token
	at      int
	depth   int // of compound statements inside each other
	failure string
}

// deepestStatement is how many statements may stand inside each other.
const deepestStatement = 200

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{op: "end"}
}

func (p *parser) unexpected() {
	if p.failure == "" {
		what := p.peek().op
		if what == "" {
			what = p.peek().plain()
		}
		if what == "end" {
			what = "end of file"
		}
		p.failure = "syntax error: unexpected " + what
	}
	p.at = len(p.tokens)
}

func (p *parser) expect(keyword string) {
	if t := p.peek(); t.plain() == keyword || t.op == keyword {
		p.at++
		return
	}
	p.unexpected()
}

func closes(t token) bool {
	switch t.plain() {
	case "then", "else", "elif", "fi", "do", "done", "}":
		return true
	}
	return t.op == ")" || t.op == "end"
}

func (p *parser) list() *list {
	out := &list{}
	join := ""
	for {
		for p.peek().op == ";" {
			p.at++
		}
		if closes(p.peek()) {
			if join != "" {
				p.unexpected()
			}
			return out
		}
		s := p.statement()
		s.join = join
		out.items = append(out.items, s)
		switch t := p.peek(); t.op {
		case ";":
			join = ""
		case "&&", "||":
			join = t.op
			p.at++
		default:
			if !closes(t) {
				p.unexpected()
			}
			return out
		}
	}
}

func (p *parser) statement() *statement {
	s := &statement{}
	if p.depth++; p.depth > deepestStatement {
		if p.failure == "" {
			p.failure = "syntax error: statements are nested too deeply"
		}
		p.at = len(p.tokens)
	}
	defer func() { p.depth-- }()
	if p.peek().plain() == "!" {
		p.at++
		s.not = true
	}
	switch word := p.peek().plain(); {
	case word == "if":
		p.at++
		p.conditional(s)
	case word == "while", word == "until":
		p.at++
		s.loop, s.until = true, word == "until"
		s.cond = p.list()
		p.expect("do")
		s.body = p.list()
		p.expect("done")
	case word == "for":
		p.at++
		s.loop, s.variable = true, p.peek().plain()
		p.at++
		p.expect("in")
		for p.peek().op == "" {
			s.values = append(s.values, p.peek().word)
			p.at++
		}
		p.expect(";")
		p.expect("do")
		s.body = p.list()
		p.expect("done")
	case word == "{":
		p.at++
		s.body = p.list()
		p.expect("}")
	case p.peek().op == "(":
		p.at++
		s.body = p.list()
		p.expect(")")
	default:
		s.pipe = append(s.pipe, p.command())
		for p.peek().op == "|" {
			for p.at++; p.peek().op == ";"; p.at++ { // a line may end behind it
			}
			s.pipe = append(s.pipe, p.command())
		}
		return s
	}
	s.redirect = p.redirects(nil)
	return s
}

func (p *parser) conditional(s *statement) {
	if p.depth++; p.depth > deepestStatement { // elif
		p.unexpected()
	}
	defer func() { p.depth-- }()
	s.cond = p.list()
	p.expect("then")
	s.body = p.list()
	switch p.peek().plain() {
	case "elif":
		p.at++
		inner := &statement{}
		p.conditional(inner)
		s.elseBody = &list{[]*statement{inner}}
		return
	case "else":
		p.at++
		s.elseBody = p.list()
	}
	p.expect("fi")
}

func (p *parser) command() *command {
	c := &command{}
	for {
		t := p.peek()
		if t.op == "" {
			c.words = append(c.words, t.word)
			p.at++
			continue
		}
		before := p.at
		if c.redirect = p.redirects(c.redirect); p.at == before {
			break
		}
	}
	if len(c.words) == 0 && len(c.redirect) == 0 {
		p.unexpected()
	}
	return c
}

func (p *parser) redirects(out []redirect) []redirect {
	for {
		t := p.peek()
		switch t.op {
		case "2>&1":
			out = append(out, redirect{fd: 2, merge: true})
		case ">&2", "1>&2":
			out = append(out, redirect{fd: 1, merge: true})
		case "<<":
			out = append(out, redirect{input: true, here: true, to: t.word})
		case ">", ">>", "2>", "2>>", "<", "<<<":
			p.at++
			if p.peek().op != "" {
				p.unexpected()
				return out
			}
			r := redirect{fd: 1, to: p.peek().word, append: strings.HasSuffix(t.op, ">>"), input: t.op[0] == '<', here: t.op == "<<<"}
			if r.here {
				r.to = append(r.to.unsplit(), part{text: "\n", quoted: true})
			}
			if t.op[0] == '2' {
				r.fd = 2
			}
			out = append(out, r)
		default:
			return out
		}
		p.at++
	}
}
