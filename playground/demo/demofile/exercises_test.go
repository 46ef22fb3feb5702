package demofile_test

import (
	"strings"
	"testing"

	"kubewalk/playground/demo/session"
)

// asked is the file without a mistake with an exercise and a question, from line 33 on.
const asked = good + `exercises:
  - id: five
    task: {en: Have five., ja: 5 つにする}
    from: too-few+3s
    goal: {objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}, count: 5}
    holds: 2s
    hints:
      - {when: {objects: {resource: pods}, count: "> 5"}, text: {en: Too many, ja: 多すぎ}}
    answer: [{at: 1s, scale: {replicaset: web, replicas: 5}}]
    wrong:
      - [{at: 1s, kubectl: scale rs web --replicas=6}]
  - id: how-many
    task: {en: How many?, ja: いくつ?}
    predict:
      - {text: {en: One, ja: 1}, right: true, why: {en: One more., ja: 1 つ増える}}
      - {text: {en: Two, ja: 2}, why: {en: No., ja: いいえ}}
    goal: [{event: {reason: SuccessfulCreate, object: rs/web}, count: 2}]
`

// TestExercises: what is read is proved by runs.
func TestExercises(t *testing.T) {
	file, problems := parse(asked)
	compareNone(t, problems)
	result, err := session.Record(file.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	failures, err := session.Prove(result)
	if err != nil || len(failures) > 0 {
		t.Fatal(err, failures)
	}
	if x := file.Scenario.Exercises[0]; x.Begin <= file.Scenario.Steps[1].At || len(x.Inputs(x.Answer)) != 1 || x.Inputs(x.Answer)[0].At <= x.Begin {
		t.Errorf("it begins at %v, and its answer at %v", x.Begin, x.Inputs(x.Answer))
	}
}

// TestExerciseMistakes is like TestMistakes, in the exercises.
func TestExerciseMistakes(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"id: five", "idd: five", `34:5: unknown key "idd" of an exercise (did you mean "id"?)`},
		{"id: five", "id: How many?", `34:9: id "How many?" is part of an address: use small letters, digits and hyphens`},
		{"id: how-many", "id: five", `44:9: two exercises are called "five"`},
		{", ja: 5 つにする}", "}", `35:5: the task of exercise "five" is missing in language "ja"`},
		{"from: too-few+3s", "from: too-fwe", `36:11: unknown step or mark "too-fwe" (did you mean "too-few"?)`},
		{"from: too-few+3s", "from: too-few+soon", `36:11: the time behind + "soon" is not a duration: write 500ms, 12s or 1m30s`},
		{"goal: {objects: {resource: pods, labels: app=web", "goal: {objects: {resource: pots, labels: app=web",
			`37:32: the server doesn't have a resource type "pots" (did you mean "pods"?)`},
		{"count: 5}", "count: five}", `37:96: count "five" is neither a number nor a comparison: write 8, <= 3 or != 0`},
		{"count: 5}", "within: 5s}", `37:89: unknown key "within" of a condition (known: `},
		{`text: {en: Too many, ja: 多すぎ}`, `text: {en: Too many}`, `40:59: the hint's text is missing in language "ja"`},
		{`count: "> 5"}`, `count: "> many"}`, `40:51: count "> many" is neither a number nor a comparison`},
		{"    answer: [{at: 1s, scale: {replicaset: web, replicas: 5}}]\n", "", `34:5: an exercise needs an answer, which the build tries`},
		{"answer: [{at: 1s, scale: {replicaset: web,", "answer: [{at: 1s, scal: {replicaset: web,", `41:23: unknown key "scal" of a step (did you mean "scale"?)`},
		{"kubectl: scale rs", "kubectl: scael rs", `43:28: unknown command "scael" for "kubectl"`},
		{"right: true, ", "", `46:5: a question has two options or more, and one of them is right: true`},
		{"    goal: [{event: {reason: SuccessfulCreate, object: rs/web}, count: 2}]\n", "",
			`44:5: an exercise needs a goal: what has to hold when it is solved`},
		{"event: {reason: SuccessfulCreate, object: rs/web}", "event: {reason: SuccessfulCreate, object: web}",
			`49:55: object "web" is not a kind and name: write pod/web-*`},
		{"event: {reason: SuccessfulCreate, object: rs/web}, count: 2", "count: 2",
			`49:12: a condition is about one of objects, event, events, order and output`},
		{"controls:\n  - scale: {replicaset: web, min: 0, max: 9}\n", "", `32:5: a reader can do nothing here: add controls to the demo`},
	} {
		if strings.Count(asked, test.old) != 1 {
			t.Fatalf("the file holds %q %d times", test.old, strings.Count(asked, test.old))
		}
		_, problems := parse(strings.Replace(asked, test.old, test.new, 1))
		got := ""
		for _, p := range problems {
			got += strings.TrimPrefix(p.Error(), p.File+":") + "\n"
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s\ngot\n%swant\n%s", test.new, got, test.want)
		}
	}
}
