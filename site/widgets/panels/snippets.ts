// What to paste where, so that a demo is there: in a deck, a blog or a course. docs/embedding.md has each way at length.

/** A demo at a moment, as other pages show it. */
export interface Shown {
  /** The address of the page that holds it alone. */
  url: string;
  /** The site's script for other pages. */
  script: string;
  title: string;
  /** The picture of the author's moment, and what is told there; of a reader's own run there is none. */
  picture?: { url: string; caption: string };
}

const quoted = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
/** As text in Markdown's brackets. */
const bracketed = (text: string) => text.replace(/[\\[\]]/g, "\\$&");

/** An address with parameters; what is after # stays there. */
function asking(url: string, wishes: Record<string, string>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(wishes)) address.searchParams.set(name, value);
  return address.href;
}

const stage = { theme: "stage", controls: "play" };
const frame = ({ url, title }: Shown, width: string, height: string, src = "src") =>
  `<iframe ${src}="${quoted(url)}" title="${quoted(title)}" width="${width}" height="${height}" ` +
  `allow="clipboard-write; fullscreen" style="border: 0"></iframe>`;
const slide = (of: Shown) => frame({ ...of, url: asking(of.url, stage) }, "1280", "720", "data-src");
const page = (of: Shown) => frame(of, "100%", "560");
const attribute = (name: string, value: string | null) => (value === null ? "" : ` ${name}="${quoted(value)}"`);

/** The element, with its moment and what else is asked of it as attributes, and with what it holds for paper. */
function element(of: Shown, more = "", paper = ""): string {
  const address = new URL(of.url);
  const start = attribute("start", address.searchParams.get("start"));
  address.search = "";
  return `<kubewalk-demo src="${quoted(address.href)}" title="${quoted(of.title)}"${start}${more}>${paper}</kubewalk-demo>`;
}
const script = (of: Shown) => `<script type="module" src="${quoted(of.script)}"></script>`;
/** On a slide of its own: it fills the slide, waits for the speaker's key, and the deck has all keys that it does not use. */
const whole = ' theme="stage" controls="play" clicker paused style="position: absolute; inset: 0; width: 100%; height: 100%"';

/** Marp prints without telling its frames: the demo's own print layout does not fit the slide. */
const paper = ({ picture }: Shown) => picture === undefined ? "" :
  `<img src="${quoted(picture.url)}" alt="${quoted(picture.caption)}" style="width: 100%; height: 100%; object-fit: contain">`;

/** By where it is to be. What has no frames gets a link. */
export const snippets = {
  element: (of: Shown) => `${script(of)}\n${element(of)}`,
  frame: page,
  reveal: (of: Shown) => `<section>\n  ${slide(of)}\n</section>`,
  // v-pre tells Vue that this is no component of its own.
  slidev: (of: Shown) => `---\nlayout: none\n---\n\n<script setup>\nimport(${JSON.stringify(of.script)})\n</script>\n\n` +
    `${element(of, `${whole} v-pre`)}`,
  marp: (of: Shown) => `${script(of)}\n${element(of, whole, paper(of))}`,
  slides: (of: Shown) => of.url,
  hugo: (of: Shown) => `<!-- layouts/shortcodes/kubewalk.html -->\n` +
    `<iframe src="{{ .Get 0 }}" title="{{ .Get 1 }}" width="100%" height="560" style="border: 0"></iframe>\n` +
    `\n{{< kubewalk ${JSON.stringify(of.url)} ${JSON.stringify(of.title)} >}}`,
  vitepress: page,
  docusaurus: ({ url, title }: Shown) =>
    `<iframe src={${JSON.stringify(url)}} title={${JSON.stringify(title)}} width="100%" height="560" style={{border: 0}} />`,
  wordpress: page,
  moodle: page,
  notion: (of: Shown) => `/embed ${of.url}`,
  zenn: (of: Shown) => of.url,
  qiita: ({ url, title }: Shown) => `[${bracketed(title)}](${url})`,
} satisfies Record<string, (of: Shown) => string>;

export type Place = keyof typeof snippets;
