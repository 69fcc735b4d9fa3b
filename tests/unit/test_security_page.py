"""Each threat on docs/operators/security.md has tests that show what Sonde does, and each of them is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operators" / "security.md").read_text("utf-8")
SHOWN_BY = {
    "keys leak from index or logs": (
        "tests/unit/test_access_key_values.py::test_a_key_speaks_for_its_subject_and_keeps_only_a_hash",
        "tests/integration/test_access_keys.py::test_what_is_done_with_keys_is_in_the_audit_log_without_the_key",
    ),
    "a stolen key": (
        "tests/integration/test_access_keys.py::test_a_revocation_is_seen_when_the_memory_ends",
        "tests/unit/test_access_key_values.py::test_a_rotated_secret_holds_for_its_grace_and_the_new_one_on",
    ),
    "guessed keys": (
        "tests/unit/test_access_key_values.py::test_who_lacks_the_secret_is_not_told_that_a_key_was_there",
    ),
    "forged tokens": (
        "tests/integration/test_access_tokens.py::test_forged_tokens_are_refused",
        "tests/integration/test_access_tokens.py::test_a_token_that_says_something_wrong_is_refused",
    ),
    "tokens that make Sonde flood the issuer": (
        "tests/integration/test_access_tokens.py::test_keys_are_remembered_and_an_invented_one_asks_at_most_every_while",
    ),
    "a path without a check": (
        "tests/api/test_access_routes.py::test_every_route_stands_in_the_table",
        "tests/api/test_access_routes.py::test_where_anonymous_search_is_off_every_other_route_asks_for_a_key",
    ),
    "a restricted record in a list, count or facet": (
        "tests/api/test_access_records.py::test_no_endpoint_shows_it_to_anybody_else",
        "tests/api/test_access_records.py::test_counts_are_those_of_what_is_seen",
        "tests/unit/test_access_visibility.py::test_the_clients_other_ways_to_records_are_closed",
    ),
    "a removed, restored or pushed record becomes public": (
        "tests/api/test_access_records.py::test_a_removed_record_stays_hidden_and_comes_back_hidden",
        "tests/api/test_access_push.py::test_a_pushed_record_has_its_sources_groups_and_keeps_them_when_it_is_taken_back",
    ),
    "the entry of a restricted source is lost": (
        "tests/api/test_access_closed.py::test_nothing_is_opened_where_sources_yaml_says_nothing",
        "tests/api/test_access_closed.py::test_a_lost_revoked_or_expired_key_opens_nothing",
        "tests/api/test_access_closed.py::test_an_issuer_that_is_gone_or_is_not_ours_opens_nothing",
    ),
    "a log of questions that names people": (
        "tests/unit/test_query_log.py::test_people_are_told_apart_but_not_followed",
        "tests/api/test_desk_month.py::test_insight_says_what_was_asked",
    ),
    "anonymous callers use up the language model": (
        "tests/unit/test_limits.py::test_calls_of_the_language_model_are_counted_for_each_key_and_each_address_without_one",
        "tests/unit/test_admission.py::test_who_waits_for_a_language_model_holds_no_slot_for_computing",
        "tests/unit/test_admission.py::test_answers_and_the_library_keep_each_other_and_no_other_address_out",
        "tests/integration/test_server_connections.py::test_who_hangs_up_ends_the_call_of_a_model_that_says_nothing_and_frees_its_place",
    ),
    "saved searches that flood a mailbox": (
        "tests/api/test_saved_searches.py::test_nobody_fills_anothers_mailbox_by_spellings_of_its_address",
        "tests/api/test_saved_searches.py::test_one_owner_and_one_domain_have_so_many_confirmations_a_day",
        "tests/api/test_saved_searches.py::test_the_address_of_a_feed_can_be_ended",
        "tests/api/test_notebooks.py::test_what_somebody_shares_is_open_for_as_long_as_a_key_of_theirs_is",
    ),
    "addresses that lead into your network, by redirect or DNS": (
        "tests/unit/test_net_gate.py::test_loopback_that_nobody_named_is_refused_before_a_connection",
        "tests/unit/test_net_gate.py::test_a_redirect_to_a_loopback_port_nobody_named_is_refused",
        "tests/unit/test_net_gate.py::test_the_checked_address_is_the_one_dialled",
    ),
    "a user names a private host": (
        "tests/unit/test_net_gate.py::test_hosts_are_named_for_one_purpose_each",
        "tests/unit/test_net_gate.py::test_a_reference_learns_nothing_of_names_of_our_network",
    ),
    "endless, slow or exploding answers of other hosts": (
        "tests/unit/test_net_gate.py::test_an_endless_answer_is_hung_up_on",
        "tests/unit/test_net_gate.py::test_a_bomb_is_counted_after_decompression",
        "tests/unit/test_net_gate.py::test_dripping_bytes_do_not_outlast_the_total_time",
    ),
    "credentials that follow a redirect": (
        "tests/unit/test_net_gate.py::test_a_redirect_to_another_origin_takes_no_key_along",
    ),
    "XML bombs, entities, deep JSON and RDF": (
        "tests/unit/test_iso19139_xml.py::test_billion_laughs_is_refused_by_name",
        "tests/unit/test_iso19139_xml.py::test_a_file_of_the_machine_is_never_read",
        "tests/unit/test_formats_limits.py::test_deep_json_is_refused",
        "tests/unit/test_formats_limits.py::test_a_remote_context_is_never_fetched",
        "tests/integration/test_csw.py::test_xml_that_is_no_request_is_refused",
        "tests/integration/test_csw.py::test_deep_filters_and_large_bodies_are_refused",
    ),
    "pictures that are scripts or bombs": (
        "tests/api/test_preview.py::test_what_is_no_fit_picture_is_not_sent_on",
        "tests/api/test_preview.py::test_addresses_of_our_own_network_are_not_asked",
        "tests/unit/test_preview_parts.py::test_nothing_of_a_huge_picture_is_decoded",
    ),
    "hostile PDF and DOCX files": (
        "tests/integration/test_documents_isolation.py::test_a_zip_bomb_in_a_docx_is_refused_before_it_is_unpacked",
        "tests/integration/test_documents_isolation.py::test_the_child_gets_no_secret_of_ours",
        "tests/integration/test_documents_isolation.py::test_what_a_document_could_do_if_it_ran_is_refused",
        "tests/integration/test_documents_isolation.py::test_a_document_that_takes_too_long_is_killed_and_leaves_no_process",
    ),
    "small documents that grow without end": (
        "tests/unit/test_documents_limits.py::test_cells_of_a_hundred_columns_cost_what_their_texts_cost",
        "tests/unit/test_documents_limits.py::test_four_times_as_much_is_four_times_the_work",
        "tests/integration/test_documents_isolation.py::test_an_answer_larger_than_its_limit_is_not_parsed",
        "tests/unit/test_worker_memory.py::test_a_task_that_asks_for_too_much_fails_and_the_machine_does_not",
    ),
    "a table cell that runs as a formula": (
        "tests/unit/test_documents_tables.py::test_no_cell_of_a_saved_table_runs_as_a_formula_and_numbers_stay",
    ),
    "a user's documents seen by others": (
        "tests/api/test_library.py::test_another_users_passage_never_leaves_whatever_is_called",
        "tests/api/test_access_library.py::test_anothers_document_is_as_one_that_is_not",
        "tests/api/test_access_library.py::test_a_hidden_record_cannot_be_found_out_by_uploading_about_it",
    ),
    "a document that gives commands to a language model or agent": (
        "tests/api/test_ask.py::test_a_command_in_a_document_stays_a_quotation",
        "tests/api/test_ask.py::test_an_answer_without_a_supported_sentence_is_asked_for_again_and_then_replaced_by_quotes",
        "tests/api/test_mcp.py::test_a_command_in_a_record_stays_a_quotation",
        "tests/api/test_mcp.py::test_only_links_to_the_web_are_handed_on_and_their_code_is_quoted",
        "tests/api/test_mcp.py::test_the_key_is_the_apis_own_and_the_tools_call_with_it",
        "tests/api/test_access_records.py::test_no_endpoint_shows_it_to_anybody_else",
    ),
    "a page elsewhere uses `/mcp` on this machine": (
        "tests/api/test_mcp.py::test_a_page_from_elsewhere_is_refused_whatever_host_it_names",
        "tests/api/test_mcp.py::test_whose_pages_may_call",
    ),
    "scripts in metadata, framing": (
        "tests/api/test_access_headers.py::test_data_load_run_and_frame_nothing",
        "tests/api/test_access_headers.py::test_pages_run_their_own_scripts_alone",
    ),
    "a harvested original that is a script": (
        "tests/api/test_records.py::test_an_original_of_a_kind_that_is_no_metadata_is_saved_not_shown",
    ),
    "request smuggling": (
        "tests/integration/test_server_connections.py::test_headers_that_two_servers_could_read_differently_are_400",
    ),
    "made-up forwarding headers": (
        "tests/unit/test_limits.py::test_only_proxies_of_ours_say_who_asks",
        "tests/integration/test_server_connections.py::test_a_stranger_is_not_believed_who_they_are_or_that_it_was_https",
    ),
    "a made-up `Host` in cached links": (
        "tests/unit/test_limits.py::test_a_proxy_says_by_which_scheme_but_never_which_host",
        "tests/api/test_docs.py::test_without_a_public_address_no_shared_cache_keeps_what_names_the_callers_host",
    ),
    "floods, slow clients, costly calls": (
        "tests/unit/test_limits.py::test_an_address_is_told_what_is_left_and_when_to_come_back",
        "tests/unit/test_limits.py::test_other_keys_do_not_help_an_address_past_its_limit",
        "tests/api/test_overload.py::test_thirty_two_who_search_at_once_are_answered_on_the_settings_that_ship",
        "tests/api/test_overload.py::test_where_the_wait_would_be_too_long_it_is_refused_and_the_others_are_answered",
        "tests/unit/test_admission.py::test_costly_calls_keep_no_search_out",
        "tests/unit/test_admission.py::test_one_address_cannot_take_all_slots",
        "tests/api/test_overload.py::test_a_search_is_given_up_at_its_deadline_and_says_when_to_come_back",
        "tests/api/test_overload.py::test_a_cross_encoder_that_dawdles_is_left_out_and_tried_again_after_a_pause",
        "tests/api/test_overload.py::test_a_remote_embedder_that_is_away_is_no_longer_waited_for",
        "tests/integration/test_server_connections.py::test_two_hundred_half_sent_requests_keep_nobody_out",
        "tests/integration/test_server_connections.py::test_who_drips_headers_does_not_get_more_time",
        "tests/integration/test_server_connections.py::test_who_does_not_read_the_answer_is_hung_up_on",
        "tests/integration/test_server_connections.py::test_where_all_places_are_taken_the_oldest_that_asks_for_nothing_goes",
        "tests/integration/test_hostile_course.py::test_searchers_and_probes_are_answered_beside_an_attack",
    ),
    "probes that hang while the service is busy": (
        "tests/integration/test_server_connections.py::test_probes_answer_while_every_thread_is_held",
    ),
    "metrics that name restricted sources": (
        "tests/api/test_operations.py::test_metrics_name_every_source_and_are_nobodys_who_has_no_admins_key",
        "tests/unit/test_chart.py::test_probes_and_metrics_have_a_port_that_the_outside_does_not_reach",
    ),
    "bodies that fill the memory": (
        "tests/api/test_push.py::test_a_body_that_is_too_large_is_413",
        "tests/integration/test_server_connections.py::test_a_body_of_more_than_two_mebibytes_needs_a_key",
        "tests/integration/test_server_connections.py::test_unfinished_bodies_have_a_size_together",
    ),
    "crafted filters, cursors and malformed requests": (
        "tests/unit/test_cql2_text.py::test_no_bomb_costs_more_than_its_length",
        "tests/unit/test_cql2_text.py::test_no_text_of_pieces_costs_more_than_its_length",
        "tests/api/test_crafted_cursors.py::test_a_crafted_cursor_is_refused_by_name",
        "tests/api/test_crafted_cursors.py::test_a_crafted_resumption_token_is_an_error_of_the_protocol",
        "tests/api/test_crafted_cursors.py::test_what_elasticsearch_says_of_a_search_it_refuses_is_for_the_log",
        "tests/api/test_bad_input.py::test_a_wrong_value_is_refused_by_name",
        "tests/api/test_bad_input.py::test_no_text_at_all_makes_it_fail",
        "tests/api/test_malformed.py::test_whatever_is_sent_is_answered_and_never_by_500",
        "tests/api/test_malformed.py::test_a_body_that_nests_too_deeply_is_400",
    ),
    "control characters in logs": (
        "tests/unit/test_logs_stream.py::test_what_a_caller_sends_cannot_write_to_the_terminal",
    ),
    "nobody knows who changed what": (
        "tests/api/test_access_headers.py::test_what_changes_something_is_in_the_audit_log",
    ),
    "somebody between Sonde and its servers": (
        "tests/integration/test_tls.py::test_parts_of_the_broker_check_its_certificate",
        "tests/integration/test_tls.py::test_elasticsearchs_certificate_is_checked",
    ),
    "an exchanged Elasticsearch": (
        "tests/integration/test_local_stack_fetch.py::test_a_file_that_was_exchanged_is_refused_though_its_checksum_fits",
    ),
    "another account uses the Elasticsearch of `sonde up`": (
        "tests/integration/test_local_stack_up.py::test_the_life_of_a_stack",
        "tests/unit/test_local_stack_distribution.py::test_a_login_is_made_once_and_elasticsearch_gets_its_hash",
        "tests/unit/test_local_stack_distribution.py::test_a_node_with_a_login_takes_nobody_else_on_its_transport_port",
    ),
    "a full disk": (
        "tests/api/test_read_only.py::test_searches_continue_and_every_part_says_that_nothing_is_written",
        "tests/unit/test_local_stack_distribution.py::test_a_node_becomes_read_only_before_its_disk_is_full",
    ),
    "an attacker in a pod": (
        "tests/unit/test_chart.py::test_the_pods_are_no_superuser_of_the_elasticsearch_that_the_chart_makes",
        "tests/unit/test_local_stack_compose.py::test_our_own_parts_are_no_superuser",
    ),
    "secrets in chart, Compose or environment": (
        "tests/unit/test_chart.py::test_no_secret_stands_in_the_open",
        "tests/unit/test_sources_parts.py::test_secrets_come_from_files_and_are_not_shown",
        "tests/unit/test_image.py::test_the_image_runs_as_nobody_special",
        "tests/unit/test_image.py::test_every_secret_setting_can_be_mounted_and_stays_out_of_the_environment",
        "tests/unit/test_local_stack_compose.py::test_the_passwords_are_long_and_closed_to_others",
        "tests/unit/test_local_stack_compose.py::test_a_real_valkey_lets_in_who_has_the_broker_url_alone",
    ),
}


def test_every_threat_of_the_page_is_in_the_table_and_no_other() -> None:
    rows = PAGE.partition("## Threats")[2].partition("\n## ")[0].splitlines()
    threats = [row.split("|")[1].strip() for row in rows if row.startswith("| ")][1:]
    assert len(threats) >= 20
    assert threats == list(SHOWN_BY)


@pytest.mark.parametrize("threat", SHOWN_BY)
def test_every_threat_has_a_test_and_every_test_is_there(threat: str) -> None:
    assert SHOWN_BY[threat]
    for test in SHOWN_BY[threat]:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE), test
