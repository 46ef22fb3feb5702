package demofile

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/demo/scenario"
)

func (b *builder) exercise(v value, i int, s *scenario.Scenario, manifests map[string]*manifest) scenario.Exercise {
	m := v.mapping(exerciseForm)
	path := fmt.Sprintf("exercises[%d]", i)
	x := scenario.Exercise{ID: m["id"].Text("id"), Holds: m["holds"].duration("holds", 0), Within: m["within"].duration("within", 0)}
	x.Task = b.needed(v, m, "task", fmt.Sprintf("the task of exercise %q", x.ID))
	x.From, x.Offset = m["from"].begin()
	x.Goal = b.parts(m["goal"], path+".goal")
	x.Never = b.parts(m["never"], path+".never")
	for _, item := range m["predict"].list("predict", "- {text: {…}, right: true, why: {…}}") {
		o := item.mapping(optionForm)
		x.Predict = append(x.Predict, scenario.Option{
			Text: b.needed(item, o, "text", "the option's text"), Right: o["right"].Yes("right"), Why: b.needed(item, o, "why", "why it is right or wrong"),
		})
	}
	for j, item := range m["hints"].list("hints", "- {when: {…}, text: {…}}") {
		h := item.mapping(hintForm)
		x.Hints = append(x.Hints, scenario.Hint{
			When: b.parts(h["when"], fmt.Sprintf("%s.hints[%d].when", path, j)), Text: b.needed(item, h, "text", "the hint's text"),
		})
	}
	x.Answer = b.answer(m["answer"], path+".answer", s, manifests)
	for j, item := range m["wrong"].list("wrong", "- [{at: 1s, scale: {…}}]") {
		x.Wrong = append(x.Wrong, b.answer(item, fmt.Sprintf("%s.wrong[%d]", path, j), s, manifests))
	}
	return x
}

// begin reads where an exercise begins: "up", "up+8s" or "+8s".
func (v value) begin() (from string, offset time.Duration) {
	text := v.Text("from")
	from, after, later := strings.Cut(text, "+")
	if later {
		offset = v.parseDuration("the time behind +", strings.TrimSpace(after))
	}
	return strings.TrimSpace(from), offset
}

// parts reads one condition, or a list of them.
func (b *builder) parts(v value, path string) (out []scenario.Part) {
	if !v.There() {
		return nil
	}
	items := []value{v}
	if v.IsMapping() {
		b.file.where[path+"[0]"] = path
	} else {
		items = v.list("what has to hold", "- {objects: {…}, count: 5}")
	}
	for _, item := range items {
		m := item.mapping(conditionForm)
		p := scenario.Part{Claim: b.about(m)}
		if text := m["text"]; text.There() {
			p.Text = b.texts(text, "text", "the condition's text")
		}
		out = append(out, p)
	}
	return out
}

// answer reads what somebody does, as in steps. Times count from where the
// exercise begins.
func (b *builder) answer(v value, path string, s *scenario.Scenario, manifests map[string]*manifest) (out []scenario.Step) {
	var previous time.Duration
	for i, item := range v.list("an answer", "- "+answerExample) {
		m := item.mapping(answerForm)
		st := scenario.Step{Fails: m["fails"].Text("fails"), Prints: m["prints"].oneOrMore("prints")}
		st.At = m["at"].moment(0, previous)
		previous = st.At
		if name := b.action(&st.Input, item, m, s, manifests); name != "" {
			b.file.where[fmt.Sprintf("%s[%d].manifest", path, i)] = "manifests." + name
		}
		out = append(out, st)
	}
	return out
}
