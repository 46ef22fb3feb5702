package session

import (
	"fmt"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

// Exercise tells how far the reader has come with an exercise, as of where the
// run is. What was told is kept: asking again looks only at what is new. Before
// the reader's first input there is nothing to tell.
func (s *Session) Exercise(id string) (*scenario.Progress, error) {
	x := s.scenario.Exercise(id)
	if x == nil {
		return nil, fmt.Errorf("demo %q has no exercise %q", s.scenario.Name, id)
	}
	elapsed := s.cluster.Elapsed()
	if !s.taken {
		return &scenario.Progress{Since: -1, Until: elapsed.Microseconds(), Changes: []scenario.Change{}}, nil
	}
	a := s.attempts[id]
	if a == nil {
		a = x.Attempt(s.since)
		if s.attempts == nil {
			s.attempts = map[string]*scenario.Attempt{}
		}
		s.attempts[id] = a
	}
	return a.Read(s.cluster.Trace(), elapsed), nil
}

// patience is how long after the last input of an answer the build waits for it
// to reach the goal, beside the time that the exercise itself names.
const patience = 90 * time.Second

// ends is how long a step may take to end after the goal was reached.
const ends = 5 * time.Second

// Prove shows for each exercise of a demo that the goal is not reached without
// a reader, that the author's answer reaches it and the wrong ones do not, and
// that there is somebody for each hint. author is the run without a reader; its
// Answers are there afterwards.
func Prove(author *Result) ([]scenario.Failure, error) {
	s := author.Session.scenario
	failures := s.Settle(author.Session.cluster.Trace())
	if len(failures) > 0 {
		return failures, nil
	}
	for i := range s.Exercises {
		p := &proof{scenario: s, exercise: &s.Exercises[i], path: fmt.Sprintf("exercises[%d]", i), author: author}
		if err := p.run(); err != nil {
			return nil, err
		}
		failures = append(failures, p.failures...)
		author.Answers = append(author.Answers, p.answer)
	}
	return failures, nil
}

// proof is what the runs of one exercise show.
type proof struct {
	scenario *scenario.Scenario
	exercise *scenario.Exercise
	path     string
	author   *Result
	answer   *Session // the run of the author's answer; nil when a question needs none
	hinted   []bool   // hints whose condition held in some run
	failures []scenario.Failure
}

func (p *proof) fail(path, format string, args ...any) {
	p.failures = append(p.failures, scenario.Failure{Path: p.path + path, Message: fmt.Sprintf(format, args...)})
}

func (p *proof) run() error {
	p.hinted = make([]bool, len(p.exercise.Hints))
	if len(p.exercise.Predict) > 0 {
		return p.question()
	}
	x := p.exercise
	script := x.Attempt(x.Begin) // what was so before is what there is to repair
	p.note(script.Read(p.author.Session.cluster.Trace(), p.scenario.End))
	if at, solved := script.Solved(); solved {
		p.fail(".goal", "the author's script reaches the goal by itself, at %v: a reader would have nothing to do (ask for another state, or for one that holds longer)", at-p.scenario.Setup)
	}
	first := x.Begin + x.Answer[0].At
	idle := *p.scenario
	idle.Steps = idle.Steps[:0:0]
	for _, st := range p.scenario.Steps {
		if st.At <= first {
			idle.Steps = append(idle.Steps, st)
		}
	}
	waiting, err := p.try(&idle, nil, first)
	if err != nil {
		return err
	}
	if at, solved := waiting.attempt.Solved(); solved {
		p.fail(".goal", "the goal is reached at %v by a reader who only waits from %v on, when the answer begins: there is nothing to do", at-p.scenario.Setup,
			first-p.scenario.Setup)
	}
	right, err := p.try(p.scenario, x.Answer, first)
	if err != nil {
		return err
	}
	p.answer = right.session
	p.failures = append(p.failures, p.scenario.CheckAnswer(p.path+".answer", x.Answer, right.outcomes())...)
	if _, solved := right.attempt.Solved(); !solved {
		p.fail(".answer", "the answer does not reach the goal within %v of its last step: %s", patience+x.Within+x.Holds, right.attempt.Lacks(p.scenario.Setup))
	}
	for i, steps := range x.Wrong {
		path := fmt.Sprintf(".wrong[%d]", i)
		first := x.Begin
		if len(steps) > 0 {
			first += steps[0].At
		}
		wrong, err := p.try(p.scenario, steps, first)
		if err != nil {
			return err
		}
		p.failures = append(p.failures, p.scenario.CheckAnswer(p.path+path, steps, wrong.outcomes())...)
		if at, solved := wrong.attempt.Solved(); solved {
			p.fail(path, "this answer should be wrong, but it reaches the goal at %v", at-p.scenario.Setup)
		}
	}
	for i, hint := range x.Hints {
		if len(hint.When) > 0 && !p.hinted[i] {
			p.fail(fmt.Sprintf(".hints[%d].when", i),
				"nobody sees this hint: its condition holds neither in the author's script nor in an answer (add a wrong answer that gets there)")
		}
	}
	return nil
}

// question proves the right option: in the run of the answer, or of the author's script.
func (p *proof) question() error {
	x := p.exercise
	if len(x.Answer) == 0 {
		a := x.Attempt(x.Begin)
		a.Read(p.author.Session.cluster.Trace(), p.scenario.End)
		if _, solved := a.Solved(); !solved {
			p.fail(".goal", "the author's script does not prove the right option: %s", a.Lacks(p.scenario.Setup))
		}
		return nil
	}
	t, err := p.try(p.scenario, x.Answer, x.Begin+x.Answer[0].At)
	if err != nil {
		return err
	}
	p.answer = t.session
	p.failures = append(p.failures, p.scenario.CheckAnswer(p.path+".answer", x.Answer, t.outcomes())...)
	if _, solved := t.attempt.Solved(); !solved {
		p.fail(".goal", "the answer does not prove the right option: %s", t.attempt.Lacks(p.scenario.Setup))
	}
	return nil
}

// note remembers for which hints there was somebody.
func (p *proof) note(progress *scenario.Progress) {
	for _, change := range progress.Changes {
		for i, holds := range change.Hints {
			p.hinted[i] = p.hinted[i] || holds
		}
	}
}

// trial is a run in which somebody tries.
type trial struct {
	session *Session
	attempt *scenario.Attempt
	steps   int // of those who try, the last of all inputs
}

// try runs a scenario with somebody's steps until the goal is reached, or there
// is no hope left. first is when they begin.
func (p *proof) try(s *scenario.Scenario, steps []scenario.Step, first time.Duration) (*trial, error) {
	inputs := p.exercise.Inputs(steps)
	ses, err := Open(s, inputs)
	if err != nil {
		return nil, err
	}
	defer ses.Close()
	last := first
	if n := len(steps); n > 0 {
		last = p.exercise.Begin + steps[n-1].At
	}
	until := last + patience + p.exercise.Within + p.exercise.Holds
	t := &trial{session: ses, attempt: p.exercise.Attempt(first), steps: len(steps)}
	for now := first; ; now += time.Second {
		ses.Run(min(now, until))
		progress := t.attempt.Read(ses.cluster.Trace(), ses.cluster.Elapsed())
		p.note(progress)
		if progress.Over() && now > last+ends || now >= until {
			return t, nil
		}
	}
}

// outcomes are what became of the steps.
func (t *trial) outcomes() []cluster.Outcome {
	all := t.session.cluster.Outcomes()
	return all[len(all)-t.steps:]
}
