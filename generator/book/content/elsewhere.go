package content

// What the keys of Hugo, Docsy, Docusaurus, VitePress, MkDocs and Jekyll are here.

const (
	writeOrder  = "write order: 10; chapters with a smaller number come first, and pages outside of all parts have none"
	gitKnows    = "remove it: the days of a chapter's first and last change come from git"
	searchFinds = "remove it: search finds the text and its headings; other words for a term go into content/glossary.yaml"
	gitKnowsWho = "remove it: git knows who wrote what; a meetup's speakers go into meetup:"
	isPost      = "; if it is a post, say posts: true of its part in site.yaml"
	oneLayout   = "remove it: all chapters look alike; the home page is index.md in the language's folder"
	pathIsName  = "remove it: the address is the file's path, /en/PART/NAME/; aliases: lists earlier addresses"
	fromTitle   = "remove it: the title is the text of links and lists, too"
	contents    = "remove it: each page shows its contents by itself, from two headings on"
)

// Elsewhere are the keys that other programs' front matter has.
func (FrontMatter) Elsewhere() map[string]string {
	out := map[string]string{}
	for cure, keys := range map[string][]string{
		writeOrder:                         {"weight", "nav_order", "sidebar_position", "position", "priority"},
		gitKnows:                           {"lastmod", "last_modified_at", "updated", "lastUpdated", "last_update"},
		gitKnows + "; a post has date:":    {"publishDate", "published"},
		searchFinds:                        {"search"},
		searchFinds + "; a post has tags:": {"categories", "keywords"},
		oneLayout: {"layout", "type", "template", "hero", "features", "content_type", "cascade", "sidebar", "navbar", "aside", "hide",
			"hide_title", "css_class"},
		pathIsName:                            {"slug", "url", "permalink", "id", "redirect_from", "parent", "nav_parent", "has_children"},
		fromTitle:                             {"linkTitle", "linktitle", "sidebar_label", "nav_title", "titleTemplate"},
		contents:                              {"toc", "toc_hide", "outline", "hide_table_of_contents", "toc_max_heading_level", "tableOfContents", "toc_min_heading_level"},
		"write description: …":                {"summary", "excerpt", "subtitle"},
		gitKnowsWho:                           {"reviewers", "approvers"},
		gitKnowsWho + "; a post has authors:": {"author"},
		"remove it: a picture of the title is drawn for link previews":                          {"image", "images", "cover", "thumbnail", "og_image"},
		"remove it: the address that can be edited is edit: in site.yaml":                       {"editLink", "edit_url", "custom_edit_url"},
		"remove it: the language is the folder's, content/en/; translations have the same name": {"lang", "language", "locale", "translationKey"},
	} {
		for _, key := range keys {
			out[key] = cure
		}
	}
	return out
}

// Elsewhere says how deep parts are nested.
func (Subpart) Elsewhere() map[string]string {
	return map[string]string{"parts": "list them in the part above: a part can have parts within it, and those have chapters only",
		"posts": "write it of a part that is in no other"}
}

// Elsewhere are the keys that other programs' configuration has.
func (Site) Elsewhere() map[string]string {
	out := map[string]string{}
	for cure, keys := range map[string][]string{
		"write title: …": {"site_name", "siteTitle"},
		"remove it: a page's address is its file's path, /en/PART/NAME/":                                {"permalink", "permalinks"},
		"list the parts, parts: [{name: …, title: …}]; a part with posts: true has posts, newest first": {"collections", "taxonomies"},
		"write description: …":                     {"site_description", "tagline"},
		"write footer: …":                          {"copyright"},
		"remove it, and build with --base-url URL": {"baseURL", "baseurl", "base", "site_url", "url", "baseUrl"},
		"list the parts, parts: [{name: …, title: …}]; a chapter's place is order: in its front matter": {"nav", "sidebar", "menu", "menus", "chapters"},
		"write languages: [{code: en, name: English}]": {
			"languageCode", "locales", "i18n", "defaultContentLanguage", "lang",
		},
		"name the service's script, scripts: [{src: …}]":                      {"analytics", "googleAnalytics", "gtag", "extra_javascript", "js"},
		"name the service's script, scripts: [{src: …, place: comments}]":     {"comments", "disqus", "disqusShortname", "giscus"},
		"write the rules into content/custom.css":                             {"css", "customCss", "custom_css", "extra_css", "stylesheets"},
		"write icon: icon.svg, or head: [{rel: icon, href: ../static/x.ico}]": {"favicon"},
		"remove it, and build with --out DIR":                                 {"publishDir", "outDir", "site_dir", "destination"},
		"write edit: https://…/{file}":                                        {"repo_url", "edit_uri", "editUrl", "editLink"},
		"write theme: {accent: …}":                                            {"themeConfig", "params"},
		"remove it: there are no plugins; kubewalk help authoring lists what chapters can contain": {
			"plugins", "markdown_extensions", "markup", "markdown", "presets", "extra",
		},
	} {
		for _, key := range keys {
			out[key] = cure
		}
	}
	return out
}
