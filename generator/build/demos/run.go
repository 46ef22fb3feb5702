package demos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/problem"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/demofile/rehearsal"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/trace"
)

var layouts = []scene.Layout{scene.Wide, scene.Narrow}

// Run runs a demo natively, checks what its file claims, and prints its
// pictures. It is the Make of the real book.
func Run(name, file string, text []byte, in Languages) (*Demo, error) {
	f, problems := demofile.Parse(name, file, text, in.Codes)
	if len(problems) > 0 {
		return nil, listed(problems)
	}
	result, problems, err := rehearsal.Run(f, layouts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(problems) > 0 {
		return nil, listed(problems)
	}
	d := &Demo{Name: name, Title: f.Scenario.Title, IsLarge: f.Scenario.Cluster.Trace != trace.All, CEL: f.Scenario.Large(), Files: map[string][]byte{}}
	for i := range f.Scenario.Exercises {
		d.Exercises = append(d.Exercises, exercise(&f.Scenario.Exercises[i], result.Answers[i], in))
	}
	for _, l := range layouts {
		files, err := result.Files(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for what, data := range files { // order: each on its own
			d.Put(what, data)
		}
	}
	details, err := result.Session.Details(0, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for what, v := range map[string]any{"details.json": details, "managers.json": result.Session.Managers(""), "scenario.json": f.Scenario} {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		d.Put(what, data)
	}
	if d.Record, err = record(f.Scenario, result.Session); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d.Marks = storyboard(result.Session, in)
	for _, c := range f.Scenario.Controls {
		d.Controls = append(d.Controls, control(c, in))
	}
	return d, nil
}

func record(s *scenario.Scenario, run *session.Session) ([]byte, error) {
	kept, err := claim.NewRecord(s, "", run)
	if err != nil {
		return nil, err
	}
	return kept.Encode()
}

func listed(problems []demofile.Problem) error {
	var list problem.List
	for _, p := range problems {
		list.Add(problem.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message})
	}
	return list.Err()
}

func storyboard(s *session.Session, in Languages) []Still {
	var stills []Still
	for _, l := range layouts {
		head := s.Header(l)
		for i, st := range recording.Storyboard(s.Cluster().Trace(), s.Shows(l), head.First, head.Marks) {
			if i == len(stills) {
				stills = append(stills, still(st, in))
			}
			for _, lang := range in.Codes {
				stills[i].SVG[lang][l] = scene.SVG(st.Scene, scene.Still{
					Name: st.Mark.Caption[lang], Now: st.At, Layout: l,
					Words: func(key string) string { return in.word(lang, key) },
				})
			}
		}
	}
	return stills
}

func still(st recording.Still, in Languages) Still {
	out := Still{
		ID: st.Mark.ID, Caption: st.Mark.Caption, At: time.Duration(st.At) * time.Microsecond, Frame: st.Mark.Frame,
		SVG: map[string]map[scene.Layout]string{},
	}
	for _, lang := range in.Codes {
		out.SVG[lang] = map[scene.Layout]string{}
	}
	for _, s := range st.Says {
		line := LogLine{At: time.Duration(s.At) * time.Microsecond, Who: s.Args["who"], Sentence: map[string]string{}}
		for _, lang := range in.Codes {
			line.Sentence[lang] = in.say(lang, s.Phrase, s.Args)
		}
		out.Text = append(out.Text, line)
	}
	return out
}

// control says in words what a reader could change.
func control(c scenario.Control, in Languages) Control {
	out := Control{Label: map[string]string{}}
	profiles := make([]string, len(c.Profiles))
	for i, p := range c.Profiles {
		profiles[i] = p.Name
	}
	args := map[string]string{
		"name": c.Name, "resource": c.Resource, "targets": strings.Join(c.Targets, ", "), "min": fmt.Sprint(c.Min), "max": fmt.Sprint(c.Max),
		"examples": strings.Join(c.Examples, ", "), "profiles": strings.Join(profiles, ", "), "node": c.Node, "component": c.Component,
		"place": cmp.Or(c.Component, c.Node), "value": c.Value, "metric": c.Metric, "url": c.URL, "from": c.From,
	}
	key := "control." + string(c.Kind)
	if c.Kind == cluster.Delete && strings.HasSuffix(c.Name, "*") {
		key += ".oldest"
	}
	for _, lang := range in.Codes {
		label := c.Label[lang]
		if label == "" {
			label = in.say(lang, key, args)
		}
		out.Label[lang] = label
		if c.Kind == cluster.Scale {
			if out.Range == nil {
				out.Range = map[string]string{}
			}
			out.Range[lang] = in.say(lang, "control.range", args)
		}
	}
	return out
}
