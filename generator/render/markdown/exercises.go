package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// exercises are fenced blocks that name an exercise of a demo on the same page:
//
//	```exercise
//	replicaset-scale/five
//	```
func exercises(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(310, func(root *ast.Document) { each(root, d.exercise) }))
		m.Renderer().AddOptions(render(kindExercise, renderExercise))
	})
}

// Exercise is an exercise in a page, and where it stands in the file.
type Exercise struct {
	Demo, ID     string
	Line, Column int

	offset int
}

// Name is what a chapter calls it: "replicaset-scale/five".
func (e Exercise) Name() string { return e.Demo + "/" + e.ID }

// ExerciseAnchor is the anchor of an exercise in a page.
func ExerciseAnchor(demo, id string) string { return "exercise-" + demo + "-" + id }

type exercise struct {
	ast.BaseBlock
	Exercise
	html string
}

var kindExercise = ast.NewNodeKind("Exercise")

func (*exercise) Kind() ast.NodeKind { return kindExercise }

func (n *exercise) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"name": n.Name()}, nil)
}

func (d *Document) exercise(block *ast.FencedCodeBlock) {
	if string(block.Language(d.Chapter.Source)) != "exercise" {
		return
	}
	const cure = "write DEMO/ID between the fences: a file in content/demos, and one of its exercises"
	name, offset, lines := "", block.Pos(), 0
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		if text := strings.TrimSpace(string(line.Value(d.Chapter.Source))); text != "" {
			name, offset, lines = text, line.Start, lines+1
		}
	}
	demo, id, ok := strings.Cut(name, "/")
	switch {
	case lines == 0:
		d.wrong(block, "exercise without a name", cure)
		return
	case lines > 1:
		d.wrongAt(offset, fmt.Sprintf("second line %q in an exercise's block", name), "one block shows one exercise")
		return
	case !ok:
		d.wrongAt(offset, fmt.Sprintf("exercise %q", name), cure)
		return
	}
	n := &exercise{Exercise: Exercise{Demo: demo, ID: id}}
	n.offset = offset
	n.Line, n.Column = problem.Place(d.Chapter.Source, offset)
	if slices.ContainsFunc(d.Exercises, func(other Exercise) bool { return other.Name() == name }) {
		d.wrongAt(offset, fmt.Sprintf("exercise %q is on the page twice", name), "link to the first: [text](#"+ExerciseAnchor(demo, id)+")")
		return
	}
	d.Exercises = append(d.Exercises, n.Exercise)
	d.anchors[ExerciseAnchor(demo, id)] = true
	block.Parent().ReplaceChild(block.Parent(), block, n)
	d.later(func() {
		known, ok := d.library.Exercises(demo)
		switch {
		case !ok:
			d.wrongAt(offset, fmt.Sprintf("unknown demo %q", demo), problem.DidYouMean(demo, d.library.Demos()))
		case known != nil && !slices.Contains(known, id):
			d.wrongAt(offset, fmt.Sprintf("demo %q has no exercise %q", demo, id), problem.DidYouMean(id, known))
		case !slices.Contains(d.Demos, demo):
			d.wrongAt(offset, fmt.Sprintf("exercise %q is about a demo that is not on the page", name), "show it above: ```demo, "+demo+", ```")
		default:
			n.html = d.library.Exercise(demo, id, d.Chapter.Language)
		}
	})
}

func renderExercise(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(node.(*exercise).html)
	}
	return ast.WalkContinue, nil
}
