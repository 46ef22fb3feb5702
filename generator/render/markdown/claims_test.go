package markdown

import (
	"strings"
	"sync"
	"testing"
	"time"

	"kubewalk/generator/book/claim"
	"kubewalk/playground/trace"
)

// scaled is a run of two commits: a ReplicaSet is stored, and counts two Pods.
var scaled = sync.OnceValue(func() *claim.Run { return scaling("") })

func scaling(world string) *claim.Run {
	web := trace.Ref{Resource: "replicasets", Namespace: "default", Name: "web"}
	record := claim.Record{
		World: world, Label: map[string]string{"en": "A <b>switch</b>", "ja": "切り替え"}, Seed: 3,
		Setup: time.Second,
		Events: []claim.Event{
			{At: 2 * time.Second, Who: "etcd", Op: "store.commit", Object: web, Attrs: []string{"type", "ADDED"}},
			{At: 3500 * time.Millisecond, Who: "etcd", Op: "store.commit", Object: web, Attrs: []string{"type", "MODIFIED"}},
		},
		Marks: []claim.Mark{{ID: "applied", Event: 1}, {ID: "running", Event: 2}, {ID: "missed", Why: "nothing is missed there"}},
		Parts: 1,
	}
	kept, err := record.Encode()
	if err != nil {
		panic(err)
	}
	run, err := claim.Open(kept, []byte(`{"objects": {
		"1": {"metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 3}},
		"2": {"status": {"readyReplicas": 2}}}, "base": {"2": 1}}`))
	if err != nil {
		panic(err)
	}
	return run
}

func TestClaims(t *testing.T) {
	const page = "```demo\nreplicaset-scale\n```\n\n"
	d, html, err := convert("en",
		page+"It has [two](<demo:replicaset-scale@running rs/web .status.readyReplicas>) of 3, at [moment 2](demo:replicaset-scale@running), as [the queue](demo:work-queue) has.")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`It has <a href="#demo-replicaset-scale-running" class="claim" title="Checked by the demo: rs/web .status.readyReplicas">two</a> of 3`,
		`<a href="#demo-replicaset-scale-running" class="claim">moment 2</a>`,
		`<a href="/base/en/queue/#demo-work-queue">the queue</a>`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("got\n%s\nwant\n%s", html, want)
		}
	}
	if d.Worlds {
		t.Error("leads into a counterfactual")
	}
	if len(d.Claims) != 3 || d.Claims[0].Destination() != "demo:replicaset-scale@running rs/web .status.readyReplicas" || d.Claims[0].Line != 5 ||
		d.Claims[0].Column != 8 {
		t.Errorf("claims %+v", d.Claims)
	}
	if d.Sections(nil)[0].Text != "It has two of 3, at moment 2, as the queue has." {
		t.Errorf("text: %q", d.Sections(nil)[0].Text)
	}
	_, html, err = convert("ja", "[2 つ](<demo:replicaset-scale@running rs/web .status.readyReplicas>)です。")
	if want := `<span class="claim" title="デモで確認済み: rs/web .status.readyReplicas">2 つ</span>です。`; err != nil || !strings.Contains(html, want) {
		t.Errorf("on no page: %v, got %s, want %s", err, html, want)
	}
}

// TestClaimsOnCounterfactuals: without script they lead to the demo, and with one to
// the world at that moment.
func TestClaimsOnCounterfactuals(t *testing.T) {
	const text = "It has [two](<demo:replicaset-scale?slow@running rs/web .status.readyReplicas>) and [one](<demo:replicaset-scale?slow count rs .status.readyReplicas\\>=2>) if [switched](demo:replicaset-scale?slow)."
	d, html, err := convert("en", "```demo\nreplicaset-scale\n```\n\n"+text)
	const leads = `<a href="#demo-replicaset-scale" data-world="slow 3 3.5"`
	for _, want := range []string{
		leads + ` class="claim" title="Checked by the demo, what if “A &lt;b&gt;switch&lt;/b&gt;”: rs/web .status.readyReplicas">two</a>`,
		leads + ` class="claim" title="Checked by the demo, what if “A &lt;b&gt;switch&lt;/b&gt;”: count rs .status.readyReplicas&gt;=2">one</a>`,
		`<a href="#demo-replicaset-scale" data-world="slow 3 2">switched</a>`,
	} {
		if err != nil || !strings.Contains(html, want) {
			t.Errorf("%v, got\n%s\nwant\n%s", err, html, want)
		}
	}
	if !d.Worlds || len(d.Claims) != 3 || d.Claims[1].Destination() != "demo:replicaset-scale?slow count rs .status.readyReplicas>=2" {
		t.Errorf("claims %+v", d.Claims)
	}
	_, html, err = convert("ja", "[2 つ](<demo:replicaset-scale?slow@running rs/web .status.readyReplicas>)です。")
	if want := `<span class="claim" title="デモの「切り替え」で確認済み: rs/web .status.readyReplicas">2 つ</span>です。`; err != nil || !strings.Contains(html, want) {
		t.Errorf("on no page: %v, got %s, want %s", err, html, want)
	}
}

func TestClaimsThatDoNotHold(t *testing.T) {
	for source, want := range map[string]string{
		"The set has [3](<demo:replicaset-scale@running rs/web .status.readyReplicas>)": `content/en/loop/x.md:1:13: the sentence says 3, rs/web .status.readyReplicas is 2 at mark "running" of demo "replicaset-scale" (write what the demo shows, or mend the demo)`,
		"a [3](<demo:replicaset-scael@running rs/web .spec.replicas>)":                  `content/en/loop/x.md:1:3: unknown demo "replicaset-scael" (did you mean "replicaset-scale"?)`,
		"a\n[3](demo:replicaset-scale@runing)":                                          `content/en/loop/x.md:2:1: demo "replicaset-scale" has no mark "runing" (did you mean "running"?)`,
		"a [1](<demo:replicaset-scale count rs .spec.replicas>=3>) x":                   "content/en/loop/x.md:1:7: claim that is not a link (write \\< and \\> for",
		"a\nb [1](<demo:replicaset-scale count rs .spec.replicas<3>)":                   "content/en/loop/x.md:2:3: claim with a bare < in it, which ends a link elsewhere (write \\< for it)",
		"a [3](<demo:replicaset-scale?slow@running rs/web .status.readyReplicas>)":      `content/en/loop/x.md:1:3: the sentence says 3, rs/web .status.readyReplicas is 2 at mark "running" of counterfactual "slow" of demo "replicaset-scale"`,
		"a [3](<demo:replicaset-scale?slow@missed count pods>)":                         `content/en/loop/x.md:1:3: counterfactual "slow" of demo "replicaset-scale" does not come to mark "missed": nothing is missed there (name a mark that it comes to: applied, running)`,
		"a [](demo:replicaset-scale@running)":                                           `content/en/loop/x.md:1:3: claim without a text`,
		"a [3](<demo:replicaset-scale@running rs/web .status.redyReplicas>)":            `unknown field "redyReplicas" of a ReplicaSet, in ".status.redyReplicas" (did you mean "readyReplicas"?)`,
		"| a |\n| - |\n| [7](<demo:replicaset-scale rs/web .spec.replicas>) |":          `content/en/loop/x.md:3:3: the sentence says 7, rs/web .spec.replicas is 3 at the end of demo "replicaset-scale"`,
	} {
		_, _, err := convert("en", source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", source, err, want)
		}
	}
}
