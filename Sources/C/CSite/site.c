// Embeds the files of Sources/Features/Web/Site. Written by `make site`.
#include "include/site.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_app_js[] = {
#embed "../../Features/Web/Site/app.js"
};

static const unsigned char file_app_webmanifest[] = {
#embed "../../Features/Web/Site/app.webmanifest"
};

static const unsigned char file_books_contents_js[] = {
#embed "../../Features/Web/Site/books/contents.js"
};

static const unsigned char file_books_data_js[] = {
#embed "../../Features/Web/Site/books/data.js"
};

static const unsigned char file_books_imports_js[] = {
#embed "../../Features/Web/Site/books/imports.js"
};

static const unsigned char file_books_reader_js[] = {
#embed "../../Features/Web/Site/books/reader.js"
};

static const unsigned char file_books_text_js[] = {
#embed "../../Features/Web/Site/books/text.js"
};

static const unsigned char file_books_view_js[] = {
#embed "../../Features/Web/Site/books/view.js"
};

static const unsigned char file_capture_outbox_js[] = {
#embed "../../Features/Web/Site/capture/outbox.js"
};

static const unsigned char file_capture_view_js[] = {
#embed "../../Features/Web/Site/capture/view.js"
};

static const unsigned char file_chat_answer_js[] = {
#embed "../../Features/Web/Site/chat/answer.js"
};

static const unsigned char file_chat_conversation_js[] = {
#embed "../../Features/Web/Site/chat/conversation.js"
};

static const unsigned char file_chat_empty_js[] = {
#embed "../../Features/Web/Site/chat/empty.js"
};

static const unsigned char file_chat_options_js[] = {
#embed "../../Features/Web/Site/chat/options.js"
};

static const unsigned char file_chat_passages_js[] = {
#embed "../../Features/Web/Site/chat/passages.js"
};

static const unsigned char file_chat_run_js[] = {
#embed "../../Features/Web/Site/chat/run.js"
};

static const unsigned char file_chat_sessions_js[] = {
#embed "../../Features/Web/Site/chat/sessions.js"
};

static const unsigned char file_chat_state_js[] = {
#embed "../../Features/Web/Site/chat/state.js"
};

static const unsigned char file_chat_talk_js[] = {
#embed "../../Features/Web/Site/chat/talk.js"
};

static const unsigned char file_chat_tree_js[] = {
#embed "../../Features/Web/Site/chat/tree.js"
};

static const unsigned char file_chat_view_js[] = {
#embed "../../Features/Web/Site/chat/view.js"
};

static const unsigned char file_chat_voice_view_js[] = {
#embed "../../Features/Web/Site/chat/voice/view.js"
};

static const unsigned char file_chat_voice_worklet_js[] = {
#embed "../../Features/Web/Site/chat/voice/worklet.js"
};

static const unsigned char file_console_access_audit_js[] = {
#embed "../../Features/Web/Site/console/access/audit.js"
};

static const unsigned char file_console_access_authority_js[] = {
#embed "../../Features/Web/Site/console/access/authority.js"
};

static const unsigned char file_console_access_browsers_js[] = {
#embed "../../Features/Web/Site/console/access/browsers.js"
};

static const unsigned char file_console_access_keys_js[] = {
#embed "../../Features/Web/Site/console/access/keys.js"
};

static const unsigned char file_console_access_offer_js[] = {
#embed "../../Features/Web/Site/console/access/offer.js"
};

static const unsigned char file_console_bench_figures_js[] = {
#embed "../../Features/Web/Site/console/bench/figures.js"
};

static const unsigned char file_console_bench_view_js[] = {
#embed "../../Features/Web/Site/console/bench/view.js"
};

static const unsigned char file_console_charts_chart_js[] = {
#embed "../../Features/Web/Site/console/charts/chart.js"
};

static const unsigned char file_console_charts_sparkline_js[] = {
#embed "../../Features/Web/Site/console/charts/sparkline.js"
};

static const unsigned char file_console_charts_traffic_js[] = {
#embed "../../Features/Web/Site/console/charts/traffic.js"
};

static const unsigned char file_console_evaluations_compare_js[] = {
#embed "../../Features/Web/Site/console/evaluations/compare.js"
};

static const unsigned char file_console_evaluations_figures_js[] = {
#embed "../../Features/Web/Site/console/evaluations/figures.js"
};

static const unsigned char file_console_evaluations_report_js[] = {
#embed "../../Features/Web/Site/console/evaluations/report.js"
};

static const unsigned char file_console_evaluations_view_js[] = {
#embed "../../Features/Web/Site/console/evaluations/view.js"
};

static const unsigned char file_console_filters_js[] = {
#embed "../../Features/Web/Site/console/filters.js"
};

static const unsigned char file_console_menu_js[] = {
#embed "../../Features/Web/Site/console/menu.js"
};

static const unsigned char file_console_models_pull_js[] = {
#embed "../../Features/Web/Site/console/models/pull.js"
};

static const unsigned char file_console_models_view_js[] = {
#embed "../../Features/Web/Site/console/models/view.js"
};

static const unsigned char file_console_overview_js[] = {
#embed "../../Features/Web/Site/console/overview.js"
};

static const unsigned char file_console_parts_js[] = {
#embed "../../Features/Web/Site/console/parts.js"
};

static const unsigned char file_console_prompts_history_js[] = {
#embed "../../Features/Web/Site/console/prompts/history.js"
};

static const unsigned char file_console_prompts_run_js[] = {
#embed "../../Features/Web/Site/console/prompts/run.js"
};

static const unsigned char file_console_prompts_view_js[] = {
#embed "../../Features/Web/Site/console/prompts/view.js"
};

static const unsigned char file_console_push_compose_js[] = {
#embed "../../Features/Web/Site/console/push/compose.js"
};

static const unsigned char file_console_push_devices_js[] = {
#embed "../../Features/Web/Site/console/push/devices.js"
};

static const unsigned char file_console_push_log_js[] = {
#embed "../../Features/Web/Site/console/push/log.js"
};

static const unsigned char file_console_push_picture_js[] = {
#embed "../../Features/Web/Site/console/push/picture.js"
};

static const unsigned char file_console_push_schedules_js[] = {
#embed "../../Features/Web/Site/console/push/schedules.js"
};

static const unsigned char file_console_push_templates_js[] = {
#embed "../../Features/Web/Site/console/push/templates.js"
};

static const unsigned char file_console_push_triggers_js[] = {
#embed "../../Features/Web/Site/console/push/triggers.js"
};

static const unsigned char file_console_reading_js[] = {
#embed "../../Features/Web/Site/console/reading.js"
};

static const unsigned char file_console_search_js[] = {
#embed "../../Features/Web/Site/console/search.js"
};

static const unsigned char file_console_setup_boxes_js[] = {
#embed "../../Features/Web/Site/console/setup/boxes.js"
};

static const unsigned char file_console_setup_kinds_js[] = {
#embed "../../Features/Web/Site/console/setup/kinds.js"
};

static const unsigned char file_console_setup_row_js[] = {
#embed "../../Features/Web/Site/console/setup/row.js"
};

static const unsigned char file_console_setup_view_js[] = {
#embed "../../Features/Web/Site/console/setup/view.js"
};

static const unsigned char file_console_spaces_js[] = {
#embed "../../Features/Web/Site/console/spaces.js"
};

static const unsigned char file_console_start_bring_js[] = {
#embed "../../Features/Web/Site/console/start/bring.js"
};

static const unsigned char file_console_start_files_js[] = {
#embed "../../Features/Web/Site/console/start/files.js"
};

static const unsigned char file_console_start_needs_js[] = {
#embed "../../Features/Web/Site/console/start/needs.js"
};

static const unsigned char file_console_start_notes_js[] = {
#embed "../../Features/Web/Site/console/start/notes.js"
};

static const unsigned char file_console_start_ollama_js[] = {
#embed "../../Features/Web/Site/console/start/ollama.js"
};

static const unsigned char file_console_start_parts_js[] = {
#embed "../../Features/Web/Site/console/start/parts.js"
};

static const unsigned char file_console_start_ready_js[] = {
#embed "../../Features/Web/Site/console/start/ready.js"
};

static const unsigned char file_console_start_rest_js[] = {
#embed "../../Features/Web/Site/console/start/rest.js"
};

static const unsigned char file_console_start_steps_js[] = {
#embed "../../Features/Web/Site/console/start/steps.js"
};

static const unsigned char file_console_start_view_js[] = {
#embed "../../Features/Web/Site/console/start/view.js"
};

static const unsigned char file_console_start_zip_js[] = {
#embed "../../Features/Web/Site/console/start/zip.js"
};

static const unsigned char file_console_stream_js[] = {
#embed "../../Features/Web/Site/console/stream.js"
};

static const unsigned char file_console_table_js[] = {
#embed "../../Features/Web/Site/console/table.js"
};

static const unsigned char file_console_view_js[] = {
#embed "../../Features/Web/Site/console/view.js"
};

static const unsigned char file_console_work_failed_js[] = {
#embed "../../Features/Web/Site/console/work/failed.js"
};

static const unsigned char file_console_work_jobs_js[] = {
#embed "../../Features/Web/Site/console/work/jobs.js"
};

static const unsigned char file_console_work_requests_js[] = {
#embed "../../Features/Web/Site/console/work/requests.js"
};

static const unsigned char file_console_work_runs_js[] = {
#embed "../../Features/Web/Site/console/work/runs.js"
};

static const unsigned char file_css_base_css[] = {
#embed "../../Features/Web/Site/css/base.css"
};

static const unsigned char file_css_chat_css[] = {
#embed "../../Features/Web/Site/css/chat.css"
};

static const unsigned char file_css_components_css[] = {
#embed "../../Features/Web/Site/css/components.css"
};

static const unsigned char file_css_console_start_css[] = {
#embed "../../Features/Web/Site/css/console-start.css"
};

static const unsigned char file_css_console_css[] = {
#embed "../../Features/Web/Site/css/console.css"
};

static const unsigned char file_css_goals_css[] = {
#embed "../../Features/Web/Site/css/goals.css"
};

static const unsigned char file_css_library_css[] = {
#embed "../../Features/Web/Site/css/library.css"
};

static const unsigned char file_css_tokens_css[] = {
#embed "../../Features/Web/Site/css/tokens.css"
};

static const unsigned char file_goals_chart_js[] = {
#embed "../../Features/Web/Site/goals/chart.js"
};

static const unsigned char file_goals_data_js[] = {
#embed "../../Features/Web/Site/goals/data.js"
};

static const unsigned char file_goals_due_js[] = {
#embed "../../Features/Web/Site/goals/due.js"
};

static const unsigned char file_goals_forms_js[] = {
#embed "../../Features/Web/Site/goals/forms.js"
};

static const unsigned char file_goals_goal_js[] = {
#embed "../../Features/Web/Site/goals/goal.js"
};

static const unsigned char file_goals_history_js[] = {
#embed "../../Features/Web/Site/goals/history.js"
};

static const unsigned char file_goals_line_js[] = {
#embed "../../Features/Web/Site/goals/line.js"
};

static const unsigned char file_goals_links_js[] = {
#embed "../../Features/Web/Site/goals/links.js"
};

static const unsigned char file_goals_lists_js[] = {
#embed "../../Features/Web/Site/goals/lists.js"
};

static const unsigned char file_goals_log_js[] = {
#embed "../../Features/Web/Site/goals/log.js"
};

static const unsigned char file_goals_measures_js[] = {
#embed "../../Features/Web/Site/goals/measures.js"
};

static const unsigned char file_goals_review_js[] = {
#embed "../../Features/Web/Site/goals/review.js"
};

static const unsigned char file_goals_rows_js[] = {
#embed "../../Features/Web/Site/goals/rows.js"
};

static const unsigned char file_goals_today_js[] = {
#embed "../../Features/Web/Site/goals/today.js"
};

static const unsigned char file_goals_view_js[] = {
#embed "../../Features/Web/Site/goals/view.js"
};

static const unsigned char file_icons_icon_180_png[] = {
#embed "../../Features/Web/Site/icons/icon-180.png"
};

static const unsigned char file_icons_icon_192_png[] = {
#embed "../../Features/Web/Site/icons/icon-192.png"
};

static const unsigned char file_icons_icon_512_png[] = {
#embed "../../Features/Web/Site/icons/icon-512.png"
};

static const unsigned char file_icons_icon_maskable_png[] = {
#embed "../../Features/Web/Site/icons/icon-maskable.png"
};

static const unsigned char file_icons_icon_svg[] = {
#embed "../../Features/Web/Site/icons/icon.svg"
};

static const unsigned char file_index_html[] = {
#embed "../../Features/Web/Site/index.html"
};

static const unsigned char file_kit_dom_js[] = {
#embed "../../Features/Web/Site/kit/dom.js"
};

static const unsigned char file_kit_form_js[] = {
#embed "../../Features/Web/Site/kit/form.js"
};

static const unsigned char file_kit_library_js[] = {
#embed "../../Features/Web/Site/kit/library.js"
};

static const unsigned char file_kit_local_js[] = {
#embed "../../Features/Web/Site/kit/local.js"
};

static const unsigned char file_kit_router_js[] = {
#embed "../../Features/Web/Site/kit/router.js"
};

static const unsigned char file_kit_sheet_js[] = {
#embed "../../Features/Web/Site/kit/sheet.js"
};

static const unsigned char file_kit_signal_js[] = {
#embed "../../Features/Web/Site/kit/signal.js"
};

static const unsigned char file_kit_toast_js[] = {
#embed "../../Features/Web/Site/kit/toast.js"
};

static const unsigned char file_kit_words_js[] = {
#embed "../../Features/Web/Site/kit/words.js"
};

static const unsigned char file_net_api_js[] = {
#embed "../../Features/Web/Site/net/api.js"
};

static const unsigned char file_net_base_js[] = {
#embed "../../Features/Web/Site/net/base.js"
};

static const unsigned char file_net_remedy_js[] = {
#embed "../../Features/Web/Site/net/remedy.js"
};

static const unsigned char file_net_save_js[] = {
#embed "../../Features/Web/Site/net/save.js"
};

static const unsigned char file_net_source_js[] = {
#embed "../../Features/Web/Site/net/source.js"
};

static const unsigned char file_net_stream_js[] = {
#embed "../../Features/Web/Site/net/stream.js"
};

static const unsigned char file_notes_edit_js[] = {
#embed "../../Features/Web/Site/notes/edit.js"
};

static const unsigned char file_notes_list_js[] = {
#embed "../../Features/Web/Site/notes/list.js"
};

static const unsigned char file_notes_note_js[] = {
#embed "../../Features/Web/Site/notes/note.js"
};

static const unsigned char file_notes_view_js[] = {
#embed "../../Features/Web/Site/notes/view.js"
};

static const unsigned char file_push_browser_js[] = {
#embed "../../Features/Web/Site/push/browser.js"
};

static const unsigned char file_push_explain_js[] = {
#embed "../../Features/Web/Site/push/explain.js"
};

static const unsigned char file_push_rules_js[] = {
#embed "../../Features/Web/Site/push/rules.js"
};

static const unsigned char file_push_view_js[] = {
#embed "../../Features/Web/Site/push/view.js"
};

static const unsigned char file_session_settings_js[] = {
#embed "../../Features/Web/Site/session/settings.js"
};

static const unsigned char file_session_sign_in_js[] = {
#embed "../../Features/Web/Site/session/sign-in.js"
};

static const unsigned char file_shell_keys_js[] = {
#embed "../../Features/Web/Site/shell/keys.js"
};

static const unsigned char file_sw_js[] = {
#embed "../../Features/Web/Site/sw.js"
};

static const unsigned char file_text_blocks_js[] = {
#embed "../../Features/Web/Site/text/blocks.js"
};

static const unsigned char file_text_bytes_js[] = {
#embed "../../Features/Web/Site/text/bytes.js"
};

static const unsigned char file_text_inlines_js[] = {
#embed "../../Features/Web/Site/text/inlines.js"
};

static const unsigned char file_text_maths_js[] = {
#embed "../../Features/Web/Site/text/maths.js"
};

static const unsigned char file_text_render_js[] = {
#embed "../../Features/Web/Site/text/render.js"
};

static const unsigned char file_text_spans_js[] = {
#embed "../../Features/Web/Site/text/spans.js"
};

static const unsigned char file_text_specs_js[] = {
#embed "../../Features/Web/Site/text/specs.js"
};

static const unsigned char file_text_starts_js[] = {
#embed "../../Features/Web/Site/text/starts.js"
};

static const unsigned char file_threads_memories_js[] = {
#embed "../../Features/Web/Site/threads/memories.js"
};

static const unsigned char file_threads_today_js[] = {
#embed "../../Features/Web/Site/threads/today.js"
};

static const unsigned char file_threads_view_js[] = {
#embed "../../Features/Web/Site/threads/view.js"
};

static const unsigned char file_words_console_de_js[] = {
#embed "../../Features/Web/Site/words/console-de.js"
};

static const unsigned char file_words_console_en_js[] = {
#embed "../../Features/Web/Site/words/console-en.js"
};

static const unsigned char file_words_console_setup_de_js[] = {
#embed "../../Features/Web/Site/words/console-setup-de.js"
};

static const unsigned char file_words_console_start_de_js[] = {
#embed "../../Features/Web/Site/words/console-start-de.js"
};

static const unsigned char file_words_console_start_en_js[] = {
#embed "../../Features/Web/Site/words/console-start-en.js"
};

static const unsigned char file_words_de_js[] = {
#embed "../../Features/Web/Site/words/de.js"
};

static const unsigned char file_words_en_js[] = {
#embed "../../Features/Web/Site/words/en.js"
};

static const unsigned char file_words_goals_de_js[] = {
#embed "../../Features/Web/Site/words/goals-de.js"
};

static const unsigned char file_words_goals_en_js[] = {
#embed "../../Features/Web/Site/words/goals-en.js"
};

static const unsigned char file_words_library_de_js[] = {
#embed "../../Features/Web/Site/words/library-de.js"
};

static const unsigned char file_words_library_en_js[] = {
#embed "../../Features/Web/Site/words/library-en.js"
};

static const unsigned char file_words_push_de_js[] = {
#embed "../../Features/Web/Site/words/push-de.js"
};

static const unsigned char file_words_push_en_js[] = {
#embed "../../Features/Web/Site/words/push-en.js"
};

static const selene_site_file files[] = {
    {"app.js", file_app_js, sizeof file_app_js},
    {"app.webmanifest", file_app_webmanifest, sizeof file_app_webmanifest},
    {"books/contents.js", file_books_contents_js, sizeof file_books_contents_js},
    {"books/data.js", file_books_data_js, sizeof file_books_data_js},
    {"books/imports.js", file_books_imports_js, sizeof file_books_imports_js},
    {"books/reader.js", file_books_reader_js, sizeof file_books_reader_js},
    {"books/text.js", file_books_text_js, sizeof file_books_text_js},
    {"books/view.js", file_books_view_js, sizeof file_books_view_js},
    {"capture/outbox.js", file_capture_outbox_js, sizeof file_capture_outbox_js},
    {"capture/view.js", file_capture_view_js, sizeof file_capture_view_js},
    {"chat/answer.js", file_chat_answer_js, sizeof file_chat_answer_js},
    {"chat/conversation.js", file_chat_conversation_js, sizeof file_chat_conversation_js},
    {"chat/empty.js", file_chat_empty_js, sizeof file_chat_empty_js},
    {"chat/options.js", file_chat_options_js, sizeof file_chat_options_js},
    {"chat/passages.js", file_chat_passages_js, sizeof file_chat_passages_js},
    {"chat/run.js", file_chat_run_js, sizeof file_chat_run_js},
    {"chat/sessions.js", file_chat_sessions_js, sizeof file_chat_sessions_js},
    {"chat/state.js", file_chat_state_js, sizeof file_chat_state_js},
    {"chat/talk.js", file_chat_talk_js, sizeof file_chat_talk_js},
    {"chat/tree.js", file_chat_tree_js, sizeof file_chat_tree_js},
    {"chat/view.js", file_chat_view_js, sizeof file_chat_view_js},
    {"chat/voice/view.js", file_chat_voice_view_js, sizeof file_chat_voice_view_js},
    {"chat/voice/worklet.js", file_chat_voice_worklet_js, sizeof file_chat_voice_worklet_js},
    {"console/access/audit.js", file_console_access_audit_js, sizeof file_console_access_audit_js},
    {"console/access/authority.js", file_console_access_authority_js, sizeof file_console_access_authority_js},
    {"console/access/browsers.js", file_console_access_browsers_js, sizeof file_console_access_browsers_js},
    {"console/access/keys.js", file_console_access_keys_js, sizeof file_console_access_keys_js},
    {"console/access/offer.js", file_console_access_offer_js, sizeof file_console_access_offer_js},
    {"console/bench/figures.js", file_console_bench_figures_js, sizeof file_console_bench_figures_js},
    {"console/bench/view.js", file_console_bench_view_js, sizeof file_console_bench_view_js},
    {"console/charts/chart.js", file_console_charts_chart_js, sizeof file_console_charts_chart_js},
    {"console/charts/sparkline.js", file_console_charts_sparkline_js, sizeof file_console_charts_sparkline_js},
    {"console/charts/traffic.js", file_console_charts_traffic_js, sizeof file_console_charts_traffic_js},
    {"console/evaluations/compare.js", file_console_evaluations_compare_js, sizeof file_console_evaluations_compare_js},
    {"console/evaluations/figures.js", file_console_evaluations_figures_js, sizeof file_console_evaluations_figures_js},
    {"console/evaluations/report.js", file_console_evaluations_report_js, sizeof file_console_evaluations_report_js},
    {"console/evaluations/view.js", file_console_evaluations_view_js, sizeof file_console_evaluations_view_js},
    {"console/filters.js", file_console_filters_js, sizeof file_console_filters_js},
    {"console/menu.js", file_console_menu_js, sizeof file_console_menu_js},
    {"console/models/pull.js", file_console_models_pull_js, sizeof file_console_models_pull_js},
    {"console/models/view.js", file_console_models_view_js, sizeof file_console_models_view_js},
    {"console/overview.js", file_console_overview_js, sizeof file_console_overview_js},
    {"console/parts.js", file_console_parts_js, sizeof file_console_parts_js},
    {"console/prompts/history.js", file_console_prompts_history_js, sizeof file_console_prompts_history_js},
    {"console/prompts/run.js", file_console_prompts_run_js, sizeof file_console_prompts_run_js},
    {"console/prompts/view.js", file_console_prompts_view_js, sizeof file_console_prompts_view_js},
    {"console/push/compose.js", file_console_push_compose_js, sizeof file_console_push_compose_js},
    {"console/push/devices.js", file_console_push_devices_js, sizeof file_console_push_devices_js},
    {"console/push/log.js", file_console_push_log_js, sizeof file_console_push_log_js},
    {"console/push/picture.js", file_console_push_picture_js, sizeof file_console_push_picture_js},
    {"console/push/schedules.js", file_console_push_schedules_js, sizeof file_console_push_schedules_js},
    {"console/push/templates.js", file_console_push_templates_js, sizeof file_console_push_templates_js},
    {"console/push/triggers.js", file_console_push_triggers_js, sizeof file_console_push_triggers_js},
    {"console/reading.js", file_console_reading_js, sizeof file_console_reading_js},
    {"console/search.js", file_console_search_js, sizeof file_console_search_js},
    {"console/setup/boxes.js", file_console_setup_boxes_js, sizeof file_console_setup_boxes_js},
    {"console/setup/kinds.js", file_console_setup_kinds_js, sizeof file_console_setup_kinds_js},
    {"console/setup/row.js", file_console_setup_row_js, sizeof file_console_setup_row_js},
    {"console/setup/view.js", file_console_setup_view_js, sizeof file_console_setup_view_js},
    {"console/spaces.js", file_console_spaces_js, sizeof file_console_spaces_js},
    {"console/start/bring.js", file_console_start_bring_js, sizeof file_console_start_bring_js},
    {"console/start/files.js", file_console_start_files_js, sizeof file_console_start_files_js},
    {"console/start/needs.js", file_console_start_needs_js, sizeof file_console_start_needs_js},
    {"console/start/notes.js", file_console_start_notes_js, sizeof file_console_start_notes_js},
    {"console/start/ollama.js", file_console_start_ollama_js, sizeof file_console_start_ollama_js},
    {"console/start/parts.js", file_console_start_parts_js, sizeof file_console_start_parts_js},
    {"console/start/ready.js", file_console_start_ready_js, sizeof file_console_start_ready_js},
    {"console/start/rest.js", file_console_start_rest_js, sizeof file_console_start_rest_js},
    {"console/start/steps.js", file_console_start_steps_js, sizeof file_console_start_steps_js},
    {"console/start/view.js", file_console_start_view_js, sizeof file_console_start_view_js},
    {"console/start/zip.js", file_console_start_zip_js, sizeof file_console_start_zip_js},
    {"console/stream.js", file_console_stream_js, sizeof file_console_stream_js},
    {"console/table.js", file_console_table_js, sizeof file_console_table_js},
    {"console/view.js", file_console_view_js, sizeof file_console_view_js},
    {"console/work/failed.js", file_console_work_failed_js, sizeof file_console_work_failed_js},
    {"console/work/jobs.js", file_console_work_jobs_js, sizeof file_console_work_jobs_js},
    {"console/work/requests.js", file_console_work_requests_js, sizeof file_console_work_requests_js},
    {"console/work/runs.js", file_console_work_runs_js, sizeof file_console_work_runs_js},
    {"css/base.css", file_css_base_css, sizeof file_css_base_css},
    {"css/chat.css", file_css_chat_css, sizeof file_css_chat_css},
    {"css/components.css", file_css_components_css, sizeof file_css_components_css},
    {"css/console-start.css", file_css_console_start_css, sizeof file_css_console_start_css},
    {"css/console.css", file_css_console_css, sizeof file_css_console_css},
    {"css/goals.css", file_css_goals_css, sizeof file_css_goals_css},
    {"css/library.css", file_css_library_css, sizeof file_css_library_css},
    {"css/tokens.css", file_css_tokens_css, sizeof file_css_tokens_css},
    {"goals/chart.js", file_goals_chart_js, sizeof file_goals_chart_js},
    {"goals/data.js", file_goals_data_js, sizeof file_goals_data_js},
    {"goals/due.js", file_goals_due_js, sizeof file_goals_due_js},
    {"goals/forms.js", file_goals_forms_js, sizeof file_goals_forms_js},
    {"goals/goal.js", file_goals_goal_js, sizeof file_goals_goal_js},
    {"goals/history.js", file_goals_history_js, sizeof file_goals_history_js},
    {"goals/line.js", file_goals_line_js, sizeof file_goals_line_js},
    {"goals/links.js", file_goals_links_js, sizeof file_goals_links_js},
    {"goals/lists.js", file_goals_lists_js, sizeof file_goals_lists_js},
    {"goals/log.js", file_goals_log_js, sizeof file_goals_log_js},
    {"goals/measures.js", file_goals_measures_js, sizeof file_goals_measures_js},
    {"goals/review.js", file_goals_review_js, sizeof file_goals_review_js},
    {"goals/rows.js", file_goals_rows_js, sizeof file_goals_rows_js},
    {"goals/today.js", file_goals_today_js, sizeof file_goals_today_js},
    {"goals/view.js", file_goals_view_js, sizeof file_goals_view_js},
    {"icons/icon-180.png", file_icons_icon_180_png, sizeof file_icons_icon_180_png},
    {"icons/icon-192.png", file_icons_icon_192_png, sizeof file_icons_icon_192_png},
    {"icons/icon-512.png", file_icons_icon_512_png, sizeof file_icons_icon_512_png},
    {"icons/icon-maskable.png", file_icons_icon_maskable_png, sizeof file_icons_icon_maskable_png},
    {"icons/icon.svg", file_icons_icon_svg, sizeof file_icons_icon_svg},
    {"index.html", file_index_html, sizeof file_index_html},
    {"kit/dom.js", file_kit_dom_js, sizeof file_kit_dom_js},
    {"kit/form.js", file_kit_form_js, sizeof file_kit_form_js},
    {"kit/library.js", file_kit_library_js, sizeof file_kit_library_js},
    {"kit/local.js", file_kit_local_js, sizeof file_kit_local_js},
    {"kit/router.js", file_kit_router_js, sizeof file_kit_router_js},
    {"kit/sheet.js", file_kit_sheet_js, sizeof file_kit_sheet_js},
    {"kit/signal.js", file_kit_signal_js, sizeof file_kit_signal_js},
    {"kit/toast.js", file_kit_toast_js, sizeof file_kit_toast_js},
    {"kit/words.js", file_kit_words_js, sizeof file_kit_words_js},
    {"net/api.js", file_net_api_js, sizeof file_net_api_js},
    {"net/base.js", file_net_base_js, sizeof file_net_base_js},
    {"net/remedy.js", file_net_remedy_js, sizeof file_net_remedy_js},
    {"net/save.js", file_net_save_js, sizeof file_net_save_js},
    {"net/source.js", file_net_source_js, sizeof file_net_source_js},
    {"net/stream.js", file_net_stream_js, sizeof file_net_stream_js},
    {"notes/edit.js", file_notes_edit_js, sizeof file_notes_edit_js},
    {"notes/list.js", file_notes_list_js, sizeof file_notes_list_js},
    {"notes/note.js", file_notes_note_js, sizeof file_notes_note_js},
    {"notes/view.js", file_notes_view_js, sizeof file_notes_view_js},
    {"push/browser.js", file_push_browser_js, sizeof file_push_browser_js},
    {"push/explain.js", file_push_explain_js, sizeof file_push_explain_js},
    {"push/rules.js", file_push_rules_js, sizeof file_push_rules_js},
    {"push/view.js", file_push_view_js, sizeof file_push_view_js},
    {"session/settings.js", file_session_settings_js, sizeof file_session_settings_js},
    {"session/sign-in.js", file_session_sign_in_js, sizeof file_session_sign_in_js},
    {"shell/keys.js", file_shell_keys_js, sizeof file_shell_keys_js},
    {"sw.js", file_sw_js, sizeof file_sw_js},
    {"text/blocks.js", file_text_blocks_js, sizeof file_text_blocks_js},
    {"text/bytes.js", file_text_bytes_js, sizeof file_text_bytes_js},
    {"text/inlines.js", file_text_inlines_js, sizeof file_text_inlines_js},
    {"text/maths.js", file_text_maths_js, sizeof file_text_maths_js},
    {"text/render.js", file_text_render_js, sizeof file_text_render_js},
    {"text/spans.js", file_text_spans_js, sizeof file_text_spans_js},
    {"text/specs.js", file_text_specs_js, sizeof file_text_specs_js},
    {"text/starts.js", file_text_starts_js, sizeof file_text_starts_js},
    {"threads/memories.js", file_threads_memories_js, sizeof file_threads_memories_js},
    {"threads/today.js", file_threads_today_js, sizeof file_threads_today_js},
    {"threads/view.js", file_threads_view_js, sizeof file_threads_view_js},
    {"words/console-de.js", file_words_console_de_js, sizeof file_words_console_de_js},
    {"words/console-en.js", file_words_console_en_js, sizeof file_words_console_en_js},
    {"words/console-setup-de.js", file_words_console_setup_de_js, sizeof file_words_console_setup_de_js},
    {"words/console-start-de.js", file_words_console_start_de_js, sizeof file_words_console_start_de_js},
    {"words/console-start-en.js", file_words_console_start_en_js, sizeof file_words_console_start_en_js},
    {"words/de.js", file_words_de_js, sizeof file_words_de_js},
    {"words/en.js", file_words_en_js, sizeof file_words_en_js},
    {"words/goals-de.js", file_words_goals_de_js, sizeof file_words_goals_de_js},
    {"words/goals-en.js", file_words_goals_en_js, sizeof file_words_goals_en_js},
    {"words/library-de.js", file_words_library_de_js, sizeof file_words_library_de_js},
    {"words/library-en.js", file_words_library_en_js, sizeof file_words_library_en_js},
    {"words/push-de.js", file_words_push_de_js, sizeof file_words_push_de_js},
    {"words/push-en.js", file_words_push_en_js, sizeof file_words_push_en_js},
};

const selene_site_file *selene_site(size_t number) {
    return number < sizeof files / sizeof *files ? &files[number] : NULL;
}
