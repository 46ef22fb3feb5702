package sitebuild

import "testing"

func TestStillHoldsWhatItUses(t *testing.T) {
	rules := newStillRules(`:root{--ink: light-dark(#000,#fff);--strong: var(--ink);--spare: red;--font: "A, B", serif}` +
		`.scene{color:var(--ink);font-family:var(--font)}` +
		`.scene .pod>rect,.scene .node>rect{stroke:var(--strong)}` +
		`.scene .job rect{fill:var(--spare)}` +
		`.scene :is(.job,.pod) .title:not(.cron,.scene .x){fill:red}` +
		`.scene [data-id="user/command"] text,.scene [data-id$="/cache"] text,.scene [data-id^="rules/"] text{fill:blue}` +
		`@media print{.scene{--ink:#000}.job{fill:none}}@media screen{.job{fill:none}}`)
	svg := `<svg class="scene" aria-label="a"><g class="box pod" data-id="pod/a" data-about="pods a">` +
		`<text class="title">a</text></g><g data-id="x/cache"></g></svg>`
	want := `:root{--ink: light-dark(#000,#fff);--strong: var(--ink);--font: "A, B", serif}` +
		`.scene{color:var(--ink);font-family:var(--font)}` +
		`.scene .pod>rect{stroke:var(--strong)}` +
		`.scene :is(.job,.pod) .title:not(.cron,.scene .x){fill:red}` +
		`.scene [data-id="user/command"] text,.scene [data-id$="/cache"] text,.scene [data-id^="rules/"] text{fill:blue}` +
		`@media print{.scene{--ink:#000}}`
	if got := rules.of(svg); got != want {
		t.Errorf("the picture's style is\n%s\nnot\n%s", got, want)
	}
	want = `<svg class="scene" aria-label="a"><g class="box pod"><text class="title">a</text></g><g data-id="x/cache"></g></svg>`
	if got := rules.bare(svg); got != want {
		t.Errorf("without what scripts ask for it is\n%s\nnot\n%s", got, want)
	}
}
